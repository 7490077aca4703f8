import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { CommandFailure, EXIT } from '../../server/failures.ts'
import { Client } from './client.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Asks the operator at a terminal; null without a terminal. */
export type Confirm = ((question: string) => Promise<boolean>) | null

type Option = {
  /** The name of its value in the usage; null for a switch. */
  readonly value: string | null
  readonly isRepeated?: boolean
}

/** An invocation of an action, with its arguments. */
export type Invocation = {
  readonly words: readonly string[]
  readonly environment: Environment
  /** Whether `--json` asks for the response of the service. */
  readonly wantsJson: boolean
  /** The value of an option; undefined where it is absent. */
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => readonly string[]
  readonly isSet: (name: string) => boolean
  /** The path of the file that the first argument or an option names. */
  readonly file: { (): string; (option: string): string | undefined }
  readonly confirm: Confirm
  /** @throws {RangeError} without credentials */
  readonly client: (timeoutMs?: number) => Client
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/** The text for standard output; the exit code is 0 where none is given. */
export type Outcome = { readonly text: string; readonly exitCode?: number }

export type Action = {
  /** The arguments in the usage, such as `<job> [<key>=<value>…]`. */
  readonly words: string
  /** The fewest and the most arguments. */
  readonly count: readonly [number, number]
  readonly options: Readonly<Record<string, Option>>
  readonly run: (invocation: Invocation) => Promise<Outcome>
}

export type Command = {
  readonly name: string
  /** The text of `--help` below the usage. */
  readonly about: string
  /** By the word after the command's name; the only one is ''. */
  readonly actions: Readonly<Record<string, Action>>
}

/** The options of every action that calls the service. */
const SERVICE_OPTIONS: Action['options'] = { url: { value: 'address' }, json: { value: null } }
const CREDENTIALS =
  'The address is --url, or TIDEMARK_URL, or follows from TIDEMARK_HOST, TIDEMARK_PORT and TIDEMARK_BASE_PATH.\n' +
  '  Credentials: TIDEMARK_TOKEN, or TIDEMARK_USERNAME and TIDEMARK_PASSWORD.'
const RESPONSE = ' --json prints the response of the service.'
/** Arguments of another program, which follow the options. */
const PASSED_ON = /\[?-- /

/** An action that calls the service: `--url` and `--json` are among its options. */
export function serviceAction(action: Action): Action {
  return { ...action, options: { ...action.options, ...SERVICE_OPTIONS } }
}

/** Runs a command with its arguments.
 * @throws {CommandFailure} usage, with the usage of the command @throws {RangeError} with the failed request */
export async function runCommand(
  command: Command,
  args: readonly string[],
  { environment, confirm = null }: { readonly environment: Environment; readonly confirm?: Confirm },
): Promise<Outcome> {
  const [first = ''] = args
  const only = command.actions['']
  const action = only ?? command.actions[first]
  if (!action)
    throw usageFailure(command, first === '' ? 'An action is missing.' : `Unknown action ${first}.`)
  const { words, values } = parsed(command, action, only ? args : args.slice(1))
  return action.run({ ...invocationOf(words, values, environment), confirm })
}

/** The text of `--help`. */
export function usageOf({ name, about, actions }: Command): string {
  const lines = Object.entries(actions).map(([word, { words, options }]) => {
    const end = words.search(PASSED_ON)
    const [own, passedOn] = end === -1 ? [words, ''] : [words.slice(0, end).trim(), words.slice(end)]
    return ['  tidemark', name, word, own, ...Object.entries(options).map(optionUsage), passedOn]
      .filter((part) => part !== '')
      .join(' ')
  })
  const has = (option: string) => Object.values(actions).some(({ options }) => option in options)
  const credentials = has('url') ? `\n  ${CREDENTIALS}${has('json') ? RESPONSE : ''}\n` : ''
  return `\n${lines.join('\n')}\n\n  ${about}\n${credentials}`
}

function optionUsage([name, { value, isRepeated = false }]: readonly [string, Option]): string {
  return `[--${name}${value === null ? '' : ` <${value}>`}]${isRepeated ? '…' : ''}`
}

function invocationOf(
  words: readonly string[],
  values: Values,
  environment: Environment,
): Omit<Invocation, 'confirm'> {
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  }
  // npm and run.sh change the folder before this process starts.
  const called = (path: string) => resolve(environment['TIDEMARK_CALLED_FROM'] ?? '.', path)
  function file(): string
  function file(option: string): string | undefined
  function file(option?: string): string | undefined {
    if (option === undefined) return called(words[0] ?? '')
    const path = text(option)
    return path === undefined ? undefined : called(path)
  }
  return {
    words,
    environment,
    wantsJson: values['json'] === true,
    text,
    texts: (name) => {
      const value = values[name]
      return Array.isArray(value) ? value.map(String) : []
    },
    isSet: (name) => values[name] === true,
    file,
    client: (timeoutMs) => new Client(text('url'), environment, timeoutMs),
  }
}

function parsed(
  command: Command,
  action: Action,
  args: readonly string[],
): { readonly words: readonly string[]; readonly values: Values } {
  const [least, most] = action.count
  try {
    const options = Object.fromEntries(
      Object.entries(action.options).map(([name, { value, isRepeated = false }]) => [
        name,
        { type: value === null ? ('boolean' as const) : ('string' as const), multiple: isRepeated },
      ]),
    )
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (positionals.length < least) throw new RangeError(`An argument is missing: ${action.words}.`)
    if (positionals.length > most) throw new RangeError(`Unknown argument ${positionals[most]}.`)
    return { words: positionals, values }
  } catch (error) {
    // Node adds advice on arguments that begin with a dash.
    const [reason = ''] = (error as Error).message.split(' To specify')
    throw usageFailure(command, reason)
  }
}

/** The failure of a command line that cannot be understood. */
function usageFailure(command: Command, reason: string): CommandFailure {
  return new CommandFailure(EXIT.usage, `${reason}\n${usageOf(command)}`)
}

/** An id among the arguments. @throws {CommandFailure} usage */
export function idOf(word: string | undefined, noun: string): number {
  const id = Number(word)
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new CommandFailure(
    EXIT.usage,
    `"${word ?? ''}" is not the id of a ${noun}: ids are whole numbers from 1.`,
  )
}
