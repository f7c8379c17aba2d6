# edgemill.fish - completion for fish.
#
# SPDX-License-Identifier: Apache-2.0

set -l commands convert info verify generate scan bench formats stages
set -l formats 'el csv mtx u32 u64 csr npz'
set -l reading '__fish_seen_subcommand_from convert info verify'
set -l convert '__fish_seen_subcommand_from convert'
set -l generate '__fish_seen_subcommand_from generate'
set -l scan '__fish_seen_subcommand_from scan; and not __fish_seen_subcommand_from bench'
set -l operators 'sum product min max and or xor wide-sum compensated-sum log-sum-exp' \
    'arg-min arg-max affine mat2 mat2-prime'
set -l bench '__fish_seen_subcommand_from bench'
set -l first "not __fish_seen_subcommand_from $commands"

complete -c edgemill -n $first -f
complete -c edgemill -n $first -a convert -d 'Read edge lists, build the graph, write it'
complete -c edgemill -n $first -a info -d 'Facts about a graph file'
complete -c edgemill -n $first -a verify -d 'Compare with what igraph builds, or check alone'
complete -c edgemill -n $first -a generate -d 'Write a seeded synthetic graph'
complete -c edgemill -n $first -a scan -d 'Run, trace, draw or time the scan core on numbers'
complete -c edgemill -n $first -a bench -d 'Time the parts beside what this machine can do'
complete -c edgemill -n $first -a formats -d 'List the file formats'
complete -c edgemill -n $first -a stages -d 'List the stages'
complete -c edgemill -s h -l help -d 'Print help and exit'
complete -c edgemill -l version -d 'Print version and features and exit'
complete -c edgemill -n '__fish_seen_subcommand_from formats stages' -f

complete -c edgemill -n $reading -l from -x -a $formats -d 'Format of the inputs'
complete -c edgemill -n $reading -l separator -x -a 'tab space , \; \|' -d 'What stands between columns'
complete -c edgemill -n $reading -l header -d 'Skip lines; the first names columns'
complete -c edgemill -n $reading -l columns -x -d 'Columns of source, target and weight'
complete -c edgemill -n $reading -l comment -x -d 'Lines that start with it are comments'
complete -c edgemill -n $reading -l base -x -a '0 1' -d 'Smallest id in the input'
complete -c edgemill -n $reading -l ids -x -a number -d 'What ids are'
complete -c edgemill -n $reading -l vertices -x -d 'Number of vertices'
complete -c edgemill -n $reading -l vertices-from -r -d 'File of vertex ids'
complete -c edgemill -n $reading -l weights -x -a 'auto none i32 i64 f32 f64' -d 'Type of the weights'
complete -c edgemill -n $reading -l on-error -x -a 'fail skip' -d 'At a malformed line'
complete -c edgemill -n $reading -l order -x -a 'sorted input' -d 'Order within a row'
complete -c edgemill -n $reading -l device -x -a 'auto cpu' -d 'Where to compute'
complete -c edgemill -n "$reading; or $generate; or $scan; or $bench" -l threads -x -d 'Threads to use'

complete -c edgemill -n $convert -l to -x -a $formats -d 'Format of the output'
complete -c edgemill -n $convert -l verify -d 'Check the result before it is published'
complete -c edgemill -n $convert -l profile -d 'What every stage took'
complete -c edgemill -n $convert -l report -r -d 'Write JSON about the input'
complete -c edgemill -n $convert -s v -l verbose -d 'Print the whole report'
complete -c edgemill -n "$convert; or $generate" -s o -l output -r -d 'Where the graph goes'
complete -c edgemill -n '__fish_seen_subcommand_from convert info generate' -l progress -x -a 'auto always never' \
    -d 'Show progress'
complete -c edgemill -n '__fish_seen_subcommand_from convert verify generate' -s q -l quiet -d 'No summary line'
complete -c edgemill -n '__fish_seen_subcommand_from info' -l json -d 'Print JSON'

complete -c edgemill -n "$generate; and not __fish_seen_subcommand_from rmat uniform grid star path clique loops" \
    -f -a 'rmat uniform grid star path clique loops'
complete -c edgemill -n $generate -l scale -x -d '2^S vertices'
complete -c edgemill -n $generate -l edge-factor -x -d 'Arcs for every vertex'
complete -c edgemill -n $generate -l abc -x -d 'Probabilities of the quadrants'
complete -c edgemill -n $generate -l vertices -x -d 'Number of vertices'
complete -c edgemill -n $generate -l arcs -x -d 'Number of arcs'
complete -c edgemill -n $generate -l rows -x -d 'Rows of the grid'
complete -c edgemill -n $generate -l columns -x -d 'Columns of the grid'
complete -c edgemill -n $generate -l seed -x -d 'Another graph of the same kind'
complete -c edgemill -n $generate -l scramble -d 'Permute the ids'
complete -c edgemill -n $generate -l shuffle -d 'Permute the ids'
complete -c edgemill -n $generate -l weights -x -a 'none i32 f64' -d 'Type of the weights'
complete -c edgemill -n $generate -l to -x -a 'el tsv csv wel u32 u64' -d 'Format of the output'

complete -c edgemill -n $scan -f
complete -c edgemill -n $scan -l algorithm -x -a 'auto serial tiled lookback hillis-steele blelloch' -d 'How to scan'
complete -c edgemill -n $scan -l op -x -a "$operators" -d 'Operator'
complete -c edgemill -n $scan -l type -x -a 'u32 i32 u64 i64 f32 f64' -d 'Type of the numbers'
complete -c edgemill -n $scan -l exclusive -d 'Without the item itself'
complete -c edgemill -n $scan -l initial -x -d 'What precedes the first item'
complete -c edgemill -n $scan -l input -r -F -d 'File of numbers'
complete -c edgemill -n $scan -l count -x -d 'Make N items'
complete -c edgemill -n $scan -l trace -d 'Print a table of rounds'
complete -c edgemill -n $scan -l dot -d 'Print a graph for Graphviz'
complete -c edgemill -n $scan -l svg -r -F -d 'Write a picture of the rounds'
complete -c edgemill -n $scan -l time -d 'Print elements, ns and GB/s'
complete -c edgemill -n $scan -l tile -x -d 'Items in a tile'

complete -c edgemill -n "$bench; and not __fish_seen_subcommand_from scan" -f -a scan
complete -c edgemill -n $bench -l sizes -x -d 'Numbers of elements, such as 1K,1M'
complete -c edgemill -n $bench -l max -x -d 'Largest number of elements'
complete -c edgemill -n $bench -l types -x -a 'u32 i32 u64 i64 f32 f64 mat2 offsets-u32 offsets-u64' -d 'Types'
complete -c edgemill -n $bench -l tiles -d 'Instead: 1 to 64 tiles a core'
complete -c edgemill -n $bench -l tune -d 'Instead: measure what tuning.h holds'
complete -c edgemill -n $bench -l pairs -x -d 'Rounds, an odd number'
complete -c edgemill -n $bench -l peers -r -F -d 'The peers to load'
complete -c edgemill -n $bench -l json -r -F -d 'Write the figures as JSON'
complete -c edgemill -n $bench -l svg -r -F -d 'Write a plot of GB/s'
