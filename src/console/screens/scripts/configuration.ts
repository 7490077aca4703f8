import type { Configuration } from './script.ts'

/** A variable as its row of the form holds it. A secret has no text unless the user types a new one. */
export type VariableRow = {
  readonly key: string
  readonly text: string
  readonly isSecret: boolean
  /** Whether the service has a value of the secret. */
  readonly isSet: boolean
}

/** A run configuration while it is edited. Lists are texts with one item a line. */
export type Draft = {
  readonly name: string
  readonly isDefault: boolean
  /** Seconds; empty for the timeout of the script. */
  readonly timeout: string
  readonly arguments: string
  readonly variables: readonly VariableRow[]
  readonly reportTo: number | null
  readonly concurrency: Configuration['concurrency']
  readonly retries: string
  readonly runnerLabels: string
  readonly network: string
  readonly kind: Configuration['kind']
  readonly dataSourceId: string
  readonly access: 'read' | 'write'
  readonly paths: string
}

export const NEW_DRAFT: Draft = {
  name: '',
  isDefault: false,
  timeout: '',
  arguments: '',
  variables: [],
  reportTo: null,
  concurrency: 'queue',
  retries: '0',
  runnerLabels: '',
  network: '',
  kind: 'standard',
  dataSourceId: '',
  access: 'read',
  paths: '',
}

/** A run configuration as a draft. */
export function draftOf(configuration: Configuration): Draft {
  const { name, isDefault, timeout, envVariables, reportTo, concurrency, retries, kind } = configuration
  const { runnerLabels, network, database, filesystem } = configuration
  return {
    name,
    isDefault,
    timeout: timeout === null ? '' : String(timeout),
    arguments: configuration.arguments.join('\n'),
    variables: envVariables.map((one) =>
      'value' in one
        ? { key: one.key, text: one.value, isSecret: false, isSet: true }
        : { key: one.key, text: '', isSecret: true, isSet: one.valueSet },
    ),
    reportTo: reportTo?.jobId ?? null,
    concurrency,
    retries: String(retries),
    runnerLabels: runnerLabels.join('\n'),
    network: network.join('\n'),
    kind,
    dataSourceId: database === null ? '' : String(database.dataSourceId),
    access: database?.access ?? 'read',
    paths: filesystem?.paths.join('\n') ?? '',
  }
}

/** One item a line, without empty lines at the end. */
export function linesOf(text: string): string[] {
  const trimmed = text.replace(/\n+$/, '')
  return trimmed === '' ? [] : trimmed.split('\n')
}

/** The items of a list whose spaces do not matter. */
const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

/** Fields of the draft that make one field of the API together. */
const FIELDS: Readonly<Record<keyof Draft, (draft: Draft) => object>> = {
  name: ({ name }) => ({ name }),
  isDefault: ({ isDefault }) => ({ isDefault }),
  timeout: ({ timeout }) => ({ timeout: timeout.trim() === '' ? null : Number(timeout) }),
  arguments: (draft) => ({ arguments: linesOf(draft.arguments) }),
  variables: ({ variables }) => ({ envVariables: variables.map(variableOf) }),
  reportTo: ({ reportTo }) => ({ reportTo: reportTo === null ? null : { jobId: reportTo } }),
  concurrency: ({ concurrency }) => ({ concurrency }),
  retries: ({ retries }) => ({ retries: Number(retries || '0') }),
  runnerLabels: ({ runnerLabels }) => ({ runnerLabels: wordsOf(runnerLabels) }),
  network: ({ network }) => ({ network: wordsOf(network) }),
  kind: kindOf,
  dataSourceId: kindOf,
  access: kindOf,
  paths: kindOf,
}

function variableOf({ key, text, isSecret }: VariableRow): object {
  if (!isSecret) return { key, value: text, secret: false }
  return { key, secret: true, ...(text === '' ? {} : { value: text }) }
}

function kindOf({ kind, dataSourceId, access, paths }: Draft): object {
  return {
    kind,
    database: kind === 'database' ? { dataSourceId: Number(dataSourceId), access } : null,
    filesystem: kind === 'filesystem' ? { paths: linesOf(paths) } : null,
  }
}

/** The fields of the API that make a configuration as the draft is.
 * @param fields the fields of the draft that have changed; absent for all */
export function bodyOf(draft: Draft, fields = Object.keys(FIELDS) as readonly (keyof Draft)[]): object {
  return Object.assign({}, ...fields.map((field) => FIELDS[field](draft))) as object
}

/** Why a draft cannot be saved: the key of the text; undefined when it can. */
export function faultOf({
  name,
  timeout,
  retries,
  kind,
  dataSourceId,
  paths,
  variables,
}: Draft): string | undefined {
  const isCount = (text: string): boolean => /^\d*$/.test(text.trim())
  if (name.trim() === '') return 'scripts.needsName'
  if (!isCount(timeout)) return 'scripts.badTimeout'
  if (!isCount(retries)) return 'scripts.badRetries'
  if (variables.some(({ key }) => key === '')) return 'scripts.needsKey'
  if (kind === 'database' && dataSourceId === '') return 'scripts.needsSource'
  return kind === 'filesystem' && linesOf(paths).length === 0 ? 'scripts.needsPaths' : undefined
}
