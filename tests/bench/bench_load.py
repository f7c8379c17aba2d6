#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_load.py - text to CSR, as it is and cleaned, beside the machine and beside what Debian packages offer.

    bench_load.py --edgemill PATH [--igraph PATH] [--scale 18] [--pairs 11] [--threads N]

Every ratio is the median of per-pair ratios over interleaved pairs, with its 95 % bootstrap interval; edgemill's time is
that of load, degrees, offsets and scatter (from open to the CSR, by its own profile), a peer's from open to its graph,
process start on neither side. Peers: reading the bytes and nothing else, scipy, igraph, GNU sort (which only sorts).
"""
import argparse, json, os, random, shutil, statistics, subprocess, sys, tempfile, time

SCIPY = """
import sys, time, numpy, scipy.sparse
begin = time.perf_counter()
ids = numpy.fromfile(sys.argv[1], dtype=numpy.int64, sep=" ").reshape(-1, 2)
n = int(ids.max()) + 1
graph = scipy.sparse.coo_array((numpy.ones(len(ids), numpy.int32), (ids[:, 0], ids[:, 1])), shape=(n, n)).tocsr()
if len(sys.argv) > 2:
    graph = graph + graph.T
    graph.setdiag(0)
    graph.eliminate_zeros()
print(time.perf_counter() - begin)
"""


def output_of(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench_load.py: {' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def edgemill(tool, path, folder, threads, *options):
    """Seconds of the stages up to the CSR."""
    profile = os.path.join(folder, "profile.json")
    output_of([tool, "convert", path, "-o", os.path.join(folder, "out.csr"), "-q", f"--threads={threads}",
               f"--profile={profile}", *options])
    with open(profile, encoding="utf-8") as file:
        rows = json.load(file)["stages"]
    return sum(row["wall_ns"] for row in rows if not row["is_part"] and row["name"] not in ("save", "publish")) / 1e9


def read_bytes(path):
    """Seconds to read the file in pieces of 256 KiB."""
    begin = time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        piece = bytearray(1 << 18)
        while file.readinto(piece):
            pass
    return time.perf_counter() - begin


def gnu_sort(path, folder):
    begin = time.perf_counter()
    output_of(["env", "LC_ALL=C", "sort", "-k1,1n", "-k2,2n", path, "-o", os.path.join(folder, "sorted.el")])
    return time.perf_counter() - begin


def compare(name, ours, theirs, pairs):
    ours(), theirs()
    figures = [(ours(), theirs()) for _ in range(pairs)]
    ratios = [b / a for a, b in figures]
    random.seed(1)
    medians = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    print(f"{name:44} {statistics.median(a for a, _ in figures):9.4f} {statistics.median(b for _, b in figures):9.4f} "
          f"{statistics.median(ratios):8.2f}   {medians[50]:.2f} to {medians[1949]:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edgemill", required=True)
    parser.add_argument("--igraph", help="the program made from peer_igraph.c")
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    tool, threads = options.edgemill, options.threads
    base = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="edgemill-bench-", dir=base) as folder:
        path, small = os.path.join(folder, "rmat.el"), os.path.join(folder, "small.el")
        output_of([tool, "generate", "rmat", f"--scale={options.scale}", "-o", path, "-q"])
        small_scale = min(options.scale, 17)  # what igraph does in a few seconds
        output_of([tool, "generate", "rmat", f"--scale={small_scale}", "-o", small, "-q"])
        print(f"R-MAT scale {options.scale}, edge factor 16, {os.path.getsize(path) / 1e6:.0f} MB of text; {threads} threads\n")
        print(f"{'text to CSR':44} {'edgemill s':>9} {'peer s':>9} {'peer/us':>8}   95 % interval")
        fast = lambda file: lambda: edgemill(tool, file, folder, threads, "--order=input")
        compare("input order / reading the bytes, one thread", fast(path), lambda: read_bytes(path), options.pairs)
        compare("input order / sorted rows", fast(path), lambda: edgemill(tool, path, folder, threads), options.pairs)
        compare("input order / one thread", fast(path), lambda: edgemill(tool, path, folder, 1, "--order=input"), options.pairs)
        has_scipy = subprocess.run(["/usr/bin/python3", "-c", "import scipy"], capture_output=True).returncode == 0
        if has_scipy:
            scipy = lambda: float(output_of(["/usr/bin/python3", "-c", SCIPY, path]))
            compare("input order / numpy.fromfile, scipy tocsr", fast(path), scipy, min(options.pairs, 5))
        if shutil.which("sort"):
            compare("sorted rows / GNU sort of the same text", lambda: edgemill(tool, path, folder, threads),
                    lambda: gnu_sort(path, folder), min(options.pairs, 3))
        if options.igraph:
            compare(f"input order / igraph_read_graph_edgelist ({small_scale})", fast(small),
                    lambda: float(output_of([options.igraph, small])), min(options.pairs, 5))
        print(f"\n{'--symmetrize --dedup --drop-loops':44} {'edgemill s':>9} {'peer s':>9} {'peer/us':>8}   95 % interval")
        scrambled = os.path.join(folder, "scrambled.el")
        output_of([tool, "generate", "rmat", f"--scale={options.scale}", "--scramble", "-o", scrambled, "-q"])
        clean = lambda file: lambda: edgemill(tool, file, folder, threads, "--symmetrize", "--dedup", "--drop-loops")
        compare("cleaned / sorted rows, not cleaned", clean(path), lambda: edgemill(tool, path, folder, threads),
                options.pairs)
        compare("cleaned / the same with ids scrambled", clean(path), clean(scrambled), options.pairs)
        if has_scipy:
            compare("cleaned / scipy: A + A.T without diagonal", clean(path),
                    lambda: float(output_of(["/usr/bin/python3", "-c", SCIPY, path, "clean"])), min(options.pairs, 3))
        if options.igraph:
            compare(f"cleaned / igraph: collapse, simplify, mutual ({small_scale})", clean(small),
                    lambda: float(output_of([options.igraph, "--clean", small])), min(options.pairs, 5))

if __name__ == "__main__":
    main()
