# Frucht graph: 3-regular without any symmetry
# source: R. Frucht, Herstellung von Graphen mit vorgegebener abstrakter Gruppe, Compositio Mathematica 6 (1939)
#   vertices are numbered as in igraph's famous graph Frucht
# 12 vertices, 18 undirected edges, each once (smaller id first)
0 1
0 2
0 11
1 3
1 6
2 5
2 10
3 4
3 6
4 8
4 11
5 9
5 10
6 7
7 8
7 9
8 9
10 11
