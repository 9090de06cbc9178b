#compdef heldtrue
# Completion of heldtrue in zsh. To load it in every new shell, add this line to ~/.zshrc, after compinit:
#   source <(heldtrue completion zsh)

_heldtrue() {
    local kind line
    local -a lines shown
    lines=("${(@f)$("${(Q)words[1]}" __complete zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    kind=$lines[1]
    if [[ $kind == files ]]; then
        _files
        return
    fi
    for line in "${(@)lines[2,-1]}"; do
        [[ -n $line ]] && shown+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    _describe -V heldtrue shown
}

if [[ $funcstack[1] == _heldtrue ]]; then
    _heldtrue "$@"
else
    compdef _heldtrue heldtrue
fi
