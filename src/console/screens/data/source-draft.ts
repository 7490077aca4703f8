import type { Failure } from '../../api/failure.ts'
import { msOfDuration } from '../../kit/time.tsx'
import type { Source } from './sources.ts'

export type SourceType = Source['type']
type Connection = NonNullable<Source['connection']>
export type DatabaseType = Exclude<SourceType, 'csv'>

/** A data source in a form: numbers are the texts of their fields. */
export type SourceDraft = {
  readonly name: string
  readonly description: string
  readonly type: SourceType
  readonly readOnly: boolean
  readonly timeoutS: string
  readonly scopeMode: Source['scopeMode']
  readonly host: string
  readonly port: string
  readonly database: string
  readonly schema: string
  readonly user: string
  /** Null: the stored password stays. */
  readonly password: string | null
  readonly tls: Connection['tls']
  readonly ca: string
  readonly maxConnections: string
}

/** A part of the form of a source. */
export type FieldsProps = {
  readonly draft: SourceDraft
  readonly failure: Failure | null
  readonly change: (part: Partial<SourceDraft>) => void
}

const PORTS: Readonly<Record<DatabaseType, string>> = { postgresql: '5432', mysql: '3306' }

const FRESH: SourceDraft = {
  name: '',
  description: '',
  type: 'postgresql',
  readOnly: true,
  timeoutS: '30',
  scopeMode: 'filters',
  host: '',
  port: PORTS.postgresql,
  database: '',
  schema: '',
  user: '',
  password: '',
  tls: 'verify-full',
  ca: '',
  maxConnections: '10',
}

/** The form of a source, or of a new one. */
export function draftOf(source: Source | undefined): SourceDraft {
  if (source === undefined) return FRESH
  const { name, description, type, readOnly, timeout, scopeMode, connection } = source
  const base = { name, description, type, readOnly, scopeMode }
  const timeoutS = String((msOfDuration(timeout) ?? 30_000) / 1_000)
  if (connection === null) return { ...FRESH, ...base, timeoutS }
  const { port, schema, passwordSet, ca, maxConnections, ...reached } = connection
  return {
    ...base,
    ...reached,
    timeoutS,
    port: String(port),
    schema: schema ?? '',
    password: passwordSet ? null : '',
    ca: ca ?? '',
    maxConnections: String(maxConnections),
  }
}

/** The draft with another type; a port that is the usual one of the former type changes too. */
export function withType(draft: SourceDraft, type: SourceType): SourceDraft {
  const usual = Object.values(PORTS).includes(draft.port) && type !== 'csv'
  return {
    ...draft,
    type,
    ...(usual ? { port: PORTS[type] } : {}),
    ...(type === 'postgresql' ? {} : { scopeMode: 'filters' as const, schema: '' }),
  }
}

/** The body of the API. Texts that are no numbers become null, which the API refuses at their field. */
export function bodyOf(draft: SourceDraft): object {
  const { name, description, type, readOnly, scopeMode, timeoutS } = draft
  const base = { name, description, type, readOnly, scopeMode, timeout: `PT${timeoutS.trim()}S` }
  return type === 'csv' ? { ...base, connection: null } : { ...base, connection: connectionOf(draft) }
}

function connectionOf(draft: SourceDraft): object {
  const { host, port, database, schema, user, password, tls, ca, maxConnections } = draft
  return {
    host: host.trim(),
    port: numberOf(port),
    database,
    schema: schema === '' ? null : schema,
    user,
    ...(password === null ? {} : { password: password === '' ? null : password }),
    tls,
    ca: ca.trim() === '' || tls !== 'verify-full' ? null : ca,
    maxConnections: numberOf(maxConnections),
  }
}

const numberOf = (text: string): number | null => (/^\d+$/.test(text.trim()) ? Number(text) : null)

/** Whether each field that must have a text has one. */
export function isComplete({ name, type, host, database, user }: SourceDraft): boolean {
  const needed = type === 'csv' ? [name] : [name, host, database, user]
  return needed.every((text) => text.trim() !== '')
}
