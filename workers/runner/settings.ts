import { createHash } from 'node:crypto'
import { availableParallelism, hostname, networkInterfaces } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'

import * as z from 'zod'

import { isSafeUrl, urlOf } from '../../src/lib/urls.ts'
import { notificationVariables } from '../../src/ports/notification-settings.ts'
import {
  commaSeparated,
  parseEnvironment,
  strangeVariables,
  wholeNumber,
} from '../../src/ports/environment.ts'

const SLOTS_MAX = 64

const schema = z.object({
  TIDEMARK_RUNNER_URL: z
    .string()
    .refine(
      (url) => isSafeUrl(url) || isOfThisMachine(url),
      'must be an https: URL, or http: on this machine, without credentials',
    )
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('URL of the service, with its context path.'),
  TIDEMARK_RUNNER_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,1024}$/, 'must have at least 32 visible ASCII characters')
    .describe('The registration token: TIDEMARK_RUNNER_TOKEN of the service.'),
  TIDEMARK_RUNNER_NAME: z
    .string()
    .min(1)
    .max(255)
    .default(hostname())
    .describe('The name of this runner; it replaces another runner with the same name.'),
  TIDEMARK_RUNNER_LABELS: list(64, 32).describe(
    'Comma-separated labels that run configurations can require.',
  ),
  TIDEMARK_RUNNER_SLOTS: wholeNumber(1, SLOTS_MAX)
    .default(Math.min(availableParallelism(), SLOTS_MAX))
    .describe('Number of runs at once; default: the number of cores.'),
  TIDEMARK_RUNNER_DIR: z
    .string()
    .optional()
    .describe('Working directory of runs, and cache of files and Python environments; default: in /var/tmp.'),
  TIDEMARK_RUNNER_ISOLATION: z
    .enum(['required', 'best-effort', 'off', 'off-as-root'])
    .default('required')
    .describe(
      'The isolation that runs require: `best-effort` and `off` allow less than full isolation; `off-as-root` is `off` for a runner that is root.',
    ),
  TIDEMARK_OUTBOUND_ALLOW: notificationVariables.TIDEMARK_OUTBOUND_ALLOW,
  TIDEMARK_RUNNER_FILES: list(4_096, 100)
    .refine((paths) => paths.every(isAbsolute), 'must be comma-separated absolute paths')
    .refine(hasDistinctNames, 'must end in different names')
    .describe('Comma-separated directories whose files filesystem configurations can read.'),
  TIDEMARK_FORECAST_SCRIPT_LOCATION: z
    .string()
    .refine(isAbsolute, 'must be an absolute path')
    .optional()
    .describe(
      'The directory of forecast scripts (`forecast.script.location`): each `name.py` is a kind `custom:name` of forecasts.',
    ),
})

/** A directory that the operator opened, and its name in run configurations. */
export type OpenedDirectory = { readonly name: string; readonly path: string }

export type RunnerSettings = {
  /** The URL of the service without a slash at the end. */
  readonly url: string
  readonly registrationToken: string
  readonly name: string
  readonly labels: readonly string[]
  readonly slots: number
  readonly dir: string
  readonly isolation: 'required' | 'best-effort' | 'off'
  readonly outboundAllow: ReadonlySet<string>
  readonly files: readonly OpenedDirectory[]
  readonly forecastScriptLocation: string | null
}

const OFF_AS_ROOT =
  'TIDEMARK_RUNNER_ISOLATION=off would run every script as root with full access to this machine. Unset it, start the runner as another user, or set off-as-root if you accept that.'

/** @param uid of the user of the runner @throws {RangeError} naming every variable that is wrong; for `off` as root */
export function readRunnerSettings(
  environment: Readonly<Record<string, string | undefined>>,
  uid = process.getuid?.() ?? -1,
): RunnerSettings {
  const values = parseEnvironment(schema, environment)
  if (values.TIDEMARK_RUNNER_ISOLATION === 'off' && uid === 0) throw new RangeError(OFF_AS_ROOT)
  return {
    url: values.TIDEMARK_RUNNER_URL,
    registrationToken: values.TIDEMARK_RUNNER_TOKEN,
    name: values.TIDEMARK_RUNNER_NAME,
    labels: values.TIDEMARK_RUNNER_LABELS,
    slots: values.TIDEMARK_RUNNER_SLOTS,
    dir: values.TIDEMARK_RUNNER_DIR ?? directoryFor(values.TIDEMARK_RUNNER_NAME, values.TIDEMARK_RUNNER_URL),
    isolation: values.TIDEMARK_RUNNER_ISOLATION === 'off-as-root' ? 'off' : values.TIDEMARK_RUNNER_ISOLATION,
    outboundAllow: new Set(values.TIDEMARK_OUTBOUND_ALLOW),
    files: values.TIDEMARK_RUNNER_FILES.map((path) => ({ name: basename(path), path })),
    forecastScriptLocation: values.TIDEMARK_FORECAST_SCRIPT_LOCATION ?? null,
  }
}

/** The variables that have no effect, each in a sentence for the operator. */
export function settingWarnings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return strangeVariables(schema, environment, /^TIDEMARK_RUNNER_/)
}

/** Whether requests to a plain `http:` URL stay on this machine although it names an address that others know. */
function isOfThisMachine(text: string): boolean {
  const { protocol, hostname: host, username, password } = urlOf(text) ?? {}
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const isOurs = addresses.some(({ address }) => host === address || host === `[${address}]`)
  return protocol === 'http:' && username === '' && password === '' && isOurs
}

/** The default directory: another one for each runner of the machine. */
function directoryFor(...whose: readonly string[]): string {
  const name = createHash('sha256').update(JSON.stringify(whose)).digest('hex')
  return join('/var/tmp', `tidemark-runner-${name.slice(0, 16)}`)
}

function list(lengthMax: number, countMax: number) {
  return z
    .string()
    .default('')
    .transform(commaSeparated)
    .refine((words) => words.length <= countMax, `must have at most ${countMax} entries`)
    .refine(
      (words) => words.every((word) => word.length <= lengthMax),
      `must have at most ${lengthMax} characters in each entry`,
    )
}

function hasDistinctNames(paths: readonly string[]): boolean {
  return new Set(paths.map((path) => basename(path))).size === paths.length
}
