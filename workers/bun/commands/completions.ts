import { CommandFailure, EXIT } from '../../server/failures.ts'
import type { Command, Invocation, Outcome } from './action.ts'

/** The words after `tidemark`, and after `tidemark <command>`, with the options of each action. */
type Words = readonly {
  readonly name: string
  readonly actions: readonly { readonly name: string; readonly options: readonly string[] }[]
}[]

/** `tidemark completions`: prints what a shell needs to complete the commands. */
export function completionsCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completions',
    about:
      'Prints the completion script of a shell. bash: eval "$(tidemark completions bash)" in ~/.bashrc; zsh: the same with\n' +
      '  zsh in ~/.zshrc; fish: tidemark completions fish > ~/.config/fish/completions/tidemark.fish.',
    actions: {
      '': {
        words: 'bash|zsh|fish',
        count: [1, 1],
        options: {},
        run: ({ words }: Invocation) => Promise.resolve({ text: completions(words[0], commands()) }),
      },
    },
  }
}

function completions(shell: string | undefined, commands: readonly Command[]): Outcome['text'] {
  const words = commands.map(({ name, actions }) => ({
    name,
    actions: Object.entries(actions).map(([action, { options }]) => ({
      name: action,
      options: Object.keys(options).map((option) => `--${option}`),
    })),
  }))
  if (shell === 'bash') return bash(words)
  // zsh runs completions of bash.
  if (shell === 'zsh') return `autoload -Uz compinit bashcompinit && compinit && bashcompinit\n${bash(words)}`
  if (shell === 'fish') return fish(words)
  throw new CommandFailure(EXIT.usage, `"${shell ?? ''}" is not a shell with completions: bash, zsh or fish.`)
}

function bash(words: Words): string {
  const cases = words.flatMap(({ name, actions }) =>
    actions.map(({ name: action, options }) => `    '${name} ${action}'*) words='${options.join(' ')}' ;;`),
  )
  const names = words.map(({ name, actions }) => {
    const next = actions.map((action) => action.name).filter((action) => action !== '')
    return next.length === 0 ? null : `    ${name}) words='${next.join(' ')}' ;;`
  })
  return `_tidemark() {
  local words='' current=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${words.map(({ name }) => name).join(' ')}'
  elif [ "\${current#-}" != "$current" ]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]} " in
${cases.join('\n')}
    esac
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${names.filter((line) => line !== null).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ -n "$words" ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _tidemark tidemark
`
}

function fish(words: Words): string {
  const lines = words.flatMap(({ name, actions }) => [
    `complete -c tidemark -f -n __fish_use_subcommand -a ${name}`,
    ...actions.flatMap(({ name: action, options }) => [
      ...(action === ''
        ? []
        : [`complete -c tidemark -f -n '__fish_seen_subcommand_from ${name}' -a ${action}`]),
      ...options.map(
        (option) => `complete -c tidemark -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ]),
  ])
  return `${[...new Set(lines)].join('\n')}\n`
}
