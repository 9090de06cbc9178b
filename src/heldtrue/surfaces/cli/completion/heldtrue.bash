# Completion of heldtrue in bash. To load it in every new shell, add this line to ~/.bashrc:
#   source <(heldtrue completion bash)

_heldtrue() {
    local line=${COMP_LINE:0:COMP_POINT} current=$2 kind value told cut
    local -a values=() shown=()
    # bash cuts a word at colons and equals signs; what is already typed before the cut is not inserted again.
    cut=${line##*[[:space:]]}
    cut=${cut%"$current"}
    COMPREPLY=()
    {
        IFS= read -r kind
        while IFS=$'\t' read -r value told; do
            values+=("${value#"$cut"}")
            shown+=("${value#"$cut"}${told:+   $told}")
        done
    } < <("$1" __complete bash "$line" 2>/dev/null)
    if [[ $kind == files ]]; then
        # Without candidates bash goes on with the names of files; before version 4 they are listed here.
        compopt -o default 2>/dev/null || while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
    elif [[ ${COMP_TYPE-} == 63 && ${#values[@]} -gt 1 ]]; then
        # Only a list is shown, nothing is inserted: there is room for descriptions.
        COMPREPLY=("${shown[@]}")
    else
        COMPREPLY=(${values[@]+"${values[@]}"})
    fi
}
complete -F _heldtrue heldtrue
