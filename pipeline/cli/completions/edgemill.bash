# edgemill.bash - completion for bash: commands, the options of each, the words an option takes, else files.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

_edgemill() {
    local current=${COMP_WORDS[COMP_CWORD]} command='' option='' word i
    local commands='convert run plan info verify generate scan bench formats stages'
    local reading='--from= --separator= --header --columns= --comment= --base= --ids= --vertices= --vertices-from=
        --weights= --on-error= --order= --threads= --device= --help --version'
    local cleaning='--filter= --drop-loops --transpose --symmetrize --dedup --among= --min-degree= --relabel= --start= --map=
        --edge-ids='
    local formats='el csv mtx u32 u64 csr npz shards'
    COMPREPLY=()

    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
        -*) ;;
        *)
            command=$word
            break
            ;;
        esac
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$current")
        return
    fi

    # bash cuts words at '=', so "--from=el" arrives as three.
    if [[ $current == '=' ]]; then
        current=''
        option=${COMP_WORDS[COMP_CWORD - 1]}
    elif ((COMP_CWORD >= 2)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    else
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi

    local values=''
    case $command:$option in
    *:--from) values=$formats ;;
    bench:--types) values='u32 i32 u64 i64 f32 f64 mat2 offsets-u32 offsets-u64' ;;
    generate:--to) values='el tsv csv wel u32 u64' ;;
    *:--to) values=$formats ;;
    scan:--algorithm) values='auto serial tiled lookback hillis-steele blelloch' ;;
    scan:--op) values='sum product min max and or xor wide-sum compensated-sum log-sum-exp arg-min arg-max affine mat2
        mat2-prime' ;;
    scan:--type) values='u32 i32 u64 i64 f32 f64' ;;
    *:--separator) values='tab space , ; |' ;;
    *:--ids) values='number string' ;;
    *:--base) values='0 1' ;;
    generate:--weights) values='none i32 f64' ;;
    *:--weights) values='auto none i32 i64 f32 f64' ;;
    *:--on-error) values='fail skip' ;;
    *:--order) values='sorted input' ;;
    *:--device) values='auto cpu' ;;
    *:--relabel) values='dense first degree degree-asc random bfs rcm' ;;
    *:--progress) values='auto always never' ;;
    *:--verify)
        if [[ ${COMP_WORDS[COMP_CWORD]} == '=' || ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
            values='igraph self'
        fi
        ;;
    *:--dedup)
        if [[ ${COMP_WORDS[COMP_CWORD]} == '=' || ${COMP_WORDS[COMP_CWORD - 1]} == '=' ]]; then
            values='first last sum min max mean count'
        fi
        ;;
    *:--vertices | *:--filter | *:--min-degree | *:--start | *:--given | *:--threads | *:--columns | *:--comment | *:--scale | *:--edge-factor | *:--abc | *:--arcs | \
        *:--rows | *:--seed | *:--initial | *:--count | *:--tile | *:--sizes | *:--max | *:--pairs) return ;;
    esac
    if [[ -n $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
        return
    fi

    if [[ $current == -* ]]; then
        local options="$reading"
        case $command in
        convert)
            options="$reading $cleaning --output= --to= --verify --profile --report= --progress= --quiet --verbose"
            ;;
        run) options='--file= --threads= --device= --verify --profile --report= --progress= --quiet --verbose --help --version' ;;
        plan) options='--file= --given= --json --threads= --device= --help --version' ;;
        info) options="$reading --json --progress=" ;;
        verify) options="$reading $cleaning --quiet" ;;
        generate)
            options='--scale= --edge-factor= --abc= --vertices= --arcs= --rows= --columns= --seed= --scramble --shuffle
                --weights= --output= --to= --threads= --progress= --quiet --help --version'
            ;;
        scan)
            options='--algorithm= --op= --type= --exclusive --initial= --input= --count= --trace --dot --svg= --time
                --tile= --threads= --help --version'
            ;;
        bench)
            options='--sizes= --max= --types= --tiles --tune --pairs= --peers= --threads= --json= --svg= --help --version'
            ;;
        formats | stages) options='--help --version' ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
            compopt -o nospace
        fi
        return
    fi
    if [[ $command == generate && ${COMP_WORDS[COMP_CWORD - 1]} == generate ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'rmat uniform grid star path clique loops' -- "$current")
        return
    fi
    if [[ $command == bench && ${COMP_WORDS[COMP_CWORD - 1]} == bench ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'scan compact sort' -- "$current")
        return
    fi
    if [[ $command == plan && ${COMP_WORDS[COMP_CWORD - 1]} == plan ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'convert run' -- "$current")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

complete -F _edgemill edgemill
