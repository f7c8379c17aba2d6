# A connected graph of even order without a perfect matching
# source: a textbook example
#   vertices are numbered as in igraph's famous graph Noperfectmatching
# 16 vertices, 27 undirected edges, each once (smaller id first)
0 1
0 2
0 3
1 2
1 3
2 3
2 4
3 4
4 5
5 6
5 7
6 12
6 13
7 8
7 9
8 9
8 10
8 11
9 10
9 11
10 11
12 13
12 14
12 15
13 14
13 15
14 15
