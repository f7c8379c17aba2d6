# Heawood graph: the incidences of the seven points and seven lines of the Fano plane
# source: P. J. Heawood, Map-colour theorem, Quarterly Journal of Mathematics 24 (1890)
#   vertices are numbered as in igraph's famous graph Heawood
# 14 vertices, 21 undirected edges, each once (smaller id first)
0 1
0 5
0 13
1 2
1 10
2 3
2 7
3 4
3 12
4 5
4 9
5 6
6 7
6 11
7 8
8 9
8 13
9 10
10 11
11 12
12 13
