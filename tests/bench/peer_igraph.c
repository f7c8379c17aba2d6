/* peer_igraph - igraph reading an edge list: seconds from open to a graph, alone on standard output. With --clean also
 * what convert --symmetrize --dedup --drop-loops does, by igraph's own functions.
 *
 * A program of its own: igraph is GPL, and none of edgemill is linked here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <igraph/igraph.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    const bool cleans = argc == 3 && strcmp(argv[1], "--clean") == 0;
    if (argc != 2 && !cleans)
        return 2;
    const double begin = seconds();
    FILE *file = fopen(argv[argc - 1], "r");
    igraph_t graph;
    if (!file || igraph_read_graph_edgelist(&graph, file, 0, IGRAPH_DIRECTED) != IGRAPH_SUCCESS)
        return 1;
    fclose(file);
    if (cleans && (igraph_to_undirected(&graph, IGRAPH_TO_UNDIRECTED_COLLAPSE, NULL) != IGRAPH_SUCCESS ||
                   igraph_simplify(&graph, true, true, NULL) != IGRAPH_SUCCESS ||
                   igraph_to_directed(&graph, IGRAPH_TO_DIRECTED_MUTUAL) != IGRAPH_SUCCESS))
        return 1;
    printf("%.6f\n", seconds() - begin);
    igraph_destroy(&graph);
    return 0;
}
