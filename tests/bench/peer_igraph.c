/* peer_igraph - igraph reading an edge list: seconds from open to a graph, alone on standard output.
 *
 * A program of its own: igraph is GPL, and none of edgemill is linked here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <igraph/igraph.h>
#include <stdio.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const double begin = seconds();
    FILE *file = fopen(argv[1], "r");
    igraph_t graph;
    if (!file || igraph_read_graph_edgelist(&graph, file, 0, IGRAPH_DIRECTED) != IGRAPH_SUCCESS)
        return 1;
    fclose(file);
    printf("%.6f\n", seconds() - begin);
    igraph_destroy(&graph);
    return 0;
}
