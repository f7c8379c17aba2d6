# Krackhardt kite: degree, betweenness and closeness each name another most central vertex
# source: D. Krackhardt, Assessing the political landscape, Administrative Science Quarterly 35 (1990)
#   vertices are numbered as in igraph's famous graph Krackhardt_Kite
# 10 vertices, 18 undirected edges, each once (smaller id first)
0 1
0 2
0 3
0 5
1 3
1 4
1 6
2 3
2 5
3 4
3 5
3 6
4 6
5 6
5 7
6 7
7 8
8 9
