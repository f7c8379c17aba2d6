# Petersen graph: 3-regular, girth 5, the smallest bridgeless cubic graph without a Hamiltonian cycle
# source: J. Petersen, Sur le theoreme de Tait, L'Intermediaire des Mathematiciens 5 (1898)
#   vertices are numbered as in igraph's famous graph Petersen
# 10 vertices, 15 undirected edges, each once (smaller id first)
0 1
0 4
0 5
1 2
1 6
2 3
2 7
3 4
3 8
4 9
5 7
5 8
6 8
6 9
7 9
