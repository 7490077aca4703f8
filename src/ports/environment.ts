import * as z from 'zod'
import { isSafeUrl } from '../lib/urls.ts'

const SHOWN_MAX = 60
/** The names of variables whose values are never shown. */
const SECRETS = /PASSWORD|SECRET|TOKEN|PASSPHRASE|KEY|HEADERS|_CA$/
/** The characters of a URL that may have a password or a token. */
const MAY_HOLD_SECRET = /[@?]/

type Environment = Readonly<Record<string, unknown>>

/** A variable that is a whole number. */
export function wholeNumber(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule)
}

/** A variable that turns something on or off. */
export function onOff(usual: 'on' | 'off') {
  return z.enum(['on', 'off']).default(usual)
}

/** A variable with a URL that secrets may be sent to. */
export function safeUrl() {
  return z
    .string()
    .refine(isSafeUrl, 'must be an https: URL, or http: on this machine, without credentials')
    .optional()
}

/** The entries of a comma-separated text, without the spaces around them and without empty ones. */
export function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** A text that is compared with stored names, and composed (NFC) as they are. */
export function composedText(max: number) {
  return z
    .string()
    .max(max)
    .overwrite((text) => text.normalize('NFC'))
}

/** Checks an environment against a schema of variables; an empty variable counts as absent.
 * @throws {RangeError} naming every variable that is wrong, at once, with its value unless that is secret, and its
 * description */
export function parseEnvironment<S extends z.ZodObject>(schema: S, environment: Environment): z.output<S> {
  const given = Object.entries(environment).filter(([name, value]) => name in schema.shape && value !== '')
  const result = schema.safeParse(Object.fromEntries(given))
  if (result.success) return result.data
  const first = new Map(result.error.issues.toReversed().map((issue) => [String(issue.path[0]), issue]))
  const problems = [...first].toReversed().map(([name, issue]) => {
    const description = (schema.shape[name] as z.ZodType | undefined)?.description ?? ''
    const place = issue.path.length > 1 ? ` at /${issue.path.slice(1).join('/')}` : ''
    return `${name}${shown(name, environment[name])}${place} ${ruleOf(issue)}. ${description}`
  })
  throw unusable(problems)
}

/** The error of an invalid configuration, for the operator: a line for each problem. */
export function unusable(problems: readonly string[]): RangeError {
  return new RangeError(['The configuration is invalid:', ...problems].join('\n  '))
}

function shown(name: string, value: unknown): string {
  const text = String(value)
  const isSecret = SECRETS.test(name) || (name.includes('URL') && MAY_HOLD_SECRET.test(text))
  if (value === undefined || isSecret) return ''
  const plain = JSON.stringify(text).slice(1, -1)
  return `=${plain.length > SHOWN_MAX ? `${plain.slice(0, SHOWN_MAX)}…` : plain}`
}

/** The rule that the value breaks, in words that follow the name of its variable. */
function ruleOf(issue: z.core.$ZodIssue): string {
  const unit = 'origin' in issue && issue.origin === 'string' ? ' characters' : ''
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined')) return 'is missing'
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  const isOurs = !/^(?:Invalid|Too|Unrecognized)/.test(issue.message)
  if (issue.code === 'too_small' && !isOurs) return `must have at least ${issue.minimum}${unit}`
  if (issue.code === 'too_big' && !isOurs) return `must have at most ${issue.maximum}${unit}`
  return isOurs ? issue.message : `is invalid (${issue.message})`
}

/** The variables that only one host reads, by the name of the host. */
export const OF_ONE_HOST = {
  Bun: [
    'TIDEMARK_PORT',
    'TIDEMARK_HOST',
    'TIDEMARK_TRUSTED_PROXIES',
    'TIDEMARK_DATA_DIR',
    'TIDEMARK_NEW_KEY',
    'TIDEMARK_BACKUP_DIR',
    'TIDEMARK_RUNNER',
    'TIDEMARK_DATABASE_URL',
    'TIDEMARK_DATABASE_AUTH_TOKEN',
  ],
  Workers: ['TIDEMARK_SECRET', 'TIDEMARK_SECRET_FORMER'],
} as const

/** The variables of the commands, and of the script that starts them. */
const OF_COMMANDS = [
  'TIDEMARK_URL',
  'TIDEMARK_TOKEN',
  'TIDEMARK_USERNAME',
  'TIDEMARK_PASSWORD',
  'TIDEMARK_CALLED_FROM',
] as const

/** Variables of a host: the runner checks its own. */
const OF_A_HOST = /^TIDEMARK_(?!RUNNER_)/

/** The variables with our prefix that have no effect, each in a sentence with advice. @param ours our prefix */
export function strangeVariables(
  schema: z.ZodObject,
  environment: Environment,
  ours: RegExp = OF_A_HOST,
): string[] {
  const known = Object.keys(schema.shape)
  const elsewhere = Object.entries(OF_ONE_HOST).flatMap(([host, names]) => names.map((name) => [name, host]))
  const hostOf = new Map(elsewhere.filter(([name = '']) => !known.includes(name)) as [string, string][])
  const silent = new Set<string>([...known, ...OF_COMMANDS])
  return Object.keys(environment)
    .filter((name) => ours.test(name) && !silent.has(name))
    .map((name) => {
      const host = hostOf.get(name)
      if (host !== undefined) return `${name} has no effect on this host: only ${host} uses it. Remove it.`
      const near = nearest(name, known)
      return `${name} is not a known setting and has no effect.${near === null ? '' : ` Did you mean ${near}?`}`
    })
}

const TYPOS_MAX = 3

function nearest(name: string, names: readonly string[]): string | null {
  const [best] = names
    .map((other) => ({ other, typos: typosBetween(name, other) }))
    .sort((a, b) => a.typos - b.typos)
  return best && best.typos <= TYPOS_MAX ? best.other : null
}

/** The number of letters to insert, delete or replace (Levenshtein distance). */
function typosBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const letter of from) {
    const next = [(row[0] ?? 0) + 1]
    for (const [place, other] of to.split('').entries()) {
      const replaced = (row[place] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
