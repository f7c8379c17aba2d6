# The seven bridges of Koenigsberg: two pairs of land masses are joined by two bridges
# source: L. Euler, Solutio problematis ad geometriam situs pertinentis, Commentarii 8 (1741) 128-140
# 4 vertices (0 Kneiphof, 1 north bank, 2 south bank, 3 east), 7 undirected edges, each once, parallel ones kept
0 1
0 1
0 2
0 2
0 3
1 3
2 3
