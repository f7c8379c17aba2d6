# Groetzsch graph: triangle-free with chromatic number 4
# source: H. Groetzsch, Ein Dreifarbensatz fuer dreikreisfreie Netze auf der Kugel, Wiss. Z. Univ. Halle 8 (1959)
#   vertices are numbered as in igraph's famous graph Grotzsch
# 11 vertices, 20 undirected edges, each once (smaller id first)
0 1
0 2
0 7
0 10
1 3
1 6
1 9
2 4
2 6
2 8
3 4
3 8
3 10
4 7
4 9
5 6
5 7
5 8
5 9
5 10
