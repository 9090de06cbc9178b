# Completion of heldtrue in fish. To load it in every new shell:
#   heldtrue completion fish > ~/.config/fish/completions/heldtrue.fish

function __heldtrue_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -q current[1]; or set current ""
    set -l lines ($words[1] __complete fish $words[2..-1] $current 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path $current
    else
        printf '%s\n' $lines[2..-1]
    end
end

complete -c heldtrue -f -a '(__heldtrue_complete)'
