# Walther graph: planar, without a vertex common to all longest paths
# source: H. Walther, Ueber die Nichtexistenz eines Knotenpunktes, durch den alle laengsten Wege eines Graphen gehen, J. Comb. Theory 6 (1969)
#   vertices are numbered as in igraph's famous graph Walther
# 25 vertices, 31 undirected edges, each once (smaller id first)
0 1
1 2
1 8
2 3
2 13
3 4
3 16
4 5
5 6
5 19
6 7
6 20
7 21
8 9
8 13
9 10
9 22
10 11
10 20
11 12
13 14
14 15
14 23
15 16
15 17
17 18
18 19
18 24
20 24
22 23
23 24
