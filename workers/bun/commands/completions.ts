import { CommandFailure, EXIT } from '../../server/failures.ts'
import type { Command, Invocation, Outcome } from './action.ts'

/** The words after `tidemark`, and after `tidemark <command>`, with the options of each action. */
type Words = readonly {
  readonly name: string
  /** The words that may follow the command. */
  readonly next: readonly string[]
  readonly actions: readonly { readonly name: string; readonly options: readonly Option[] }[]
}[]
type Option = { readonly name: string; readonly hasValue: boolean }

const HELP: Option = { name: 'help', hasValue: false }
/** The commands that are programs of their own. */
const PROGRAMS: Words = [
  { name: 'serve', next: [], actions: [{ name: '', options: [{ name: 'once', hasValue: false }, HELP] }] },
  { name: 'runner', next: [], actions: [{ name: '', options: [HELP] }] },
]
/** Arguments of which one is to be chosen, such as `bash|zsh|fish`. */
const CHOICE = /^\w+(?:\|\w+)+$/

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
  const words = [...PROGRAMS, ...commands.map(wordsOf)]
  if (shell === 'bash') return bash(words)
  // zsh runs completions of bash.
  if (shell === 'zsh') return `autoload -Uz compinit bashcompinit && compinit && bashcompinit\n${bash(words)}`
  if (shell === 'fish') return fish(words)
  throw new CommandFailure(EXIT.usage, `"${shell ?? ''}" is not a shell with completions: bash, zsh or fish.`)
}

function wordsOf({ name, actions }: Command): Words[number] {
  return {
    name,
    next: Object.entries(actions).flatMap(([action, { words }]) => {
      if (action !== '') return [action]
      return CHOICE.test(words) ? words.split('|') : []
    }),
    actions: Object.entries(actions).map(([action, { options }]) => ({
      name: action,
      options: [
        ...Object.entries(options).map(([option, { value }]) => ({ name: option, hasValue: value !== null })),
        HELP,
      ],
    })),
  }
}

/** Names of files are completed by the shell, where the function leaves no words. */
function bash(words: Words): string {
  const cases = words.flatMap(({ name, actions }) =>
    actions.map(
      ({ name: action, options }) =>
        `    '${name} ${action}'*) words='${options.map((option) => `--${option.name}`).join(' ')}' ;;`,
    ),
  )
  const names = words
    .filter(({ next }) => next.length > 0)
    .map(({ name, next }) => `    ${name}) words='${next.join(' ')}' ;;`)
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
${names.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tidemark tidemark
`
}

function fish(words: Words): string {
  const lines = words.flatMap(({ name, next, actions }) => [
    ...(next.length === 0
      ? []
      : [
          `complete -c tidemark -f -n '__tidemark_words 2; and __tidemark_is ${name}' -a '${next.join(' ')}'`,
        ]),
    ...actions.flatMap(({ name: action, options }) =>
      options.map(
        (option) =>
          `complete -c tidemark -n '__tidemark_is ${`${name} ${action}`.trim()}' -l ${option.name}${option.hasValue ? ' -r' : ''}`,
      ),
    ),
  ])
  return `function __tidemark_words
  test (count (commandline -opc)) -eq $argv[1]
end
function __tidemark_is
  set -l words (commandline -opc)
  set -l last (math (count $argv) + 1)
  test "$words[2..$last]" = "$argv"
end
complete -c tidemark -f -n '__tidemark_words 1' -a '${words.map(({ name }) => name).join(' ')}'
${lines.join('\n')}
`
}
