# Folkman graph: the smallest regular graph that is edge- but not vertex-transitive
# source: J. Folkman, Regular line-symmetric graphs, Journal of Combinatorial Theory 3 (1967)
#   vertices are numbered as in igraph's famous graph Folkman
# 20 vertices, 40 undirected edges, each once (smaller id first)
0 5
0 8
0 10
0 13
1 7
1 9
1 12
1 14
2 6
2 8
2 11
2 13
3 5
3 7
3 10
3 12
4 6
4 9
4 11
4 14
5 15
5 19
6 15
6 16
7 16
7 17
8 17
8 18
9 18
9 19
10 15
10 19
11 15
11 16
12 16
12 17
13 17
13 18
14 18
14 19
