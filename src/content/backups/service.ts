import { audited } from '../../access/audit/service.ts'
import { forgetRights } from '../../access/rights/service.ts'
import { callersOf } from '../../access/users/callers.ts'
import type { Context } from '../../context.ts'
import { chunksUntil } from '../../lib/chunks.ts'
import type { Chunks } from '../../lib/chunks.ts'
import { holdToTag } from '../../http/preconditions.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import { decodeNumber, pageOf } from '../../lib/paging.ts'
import { semaphoreFor } from '../../lib/semaphore.ts'
import { timeFormat } from '../../lib/time.ts'
import type { Work } from '../../operations/work/service.ts'
import type { ByteSpan, StoredBlob } from '../../ports/blobs.ts'
import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { cleanUp } from '../../ports/log.ts'
import { VERSION } from '../../http/version.ts'
import {
  markOrphaned,
  LONG_UPLOAD_MAX_MS,
  openBlob,
  putBlobAt,
  asExpiredUpload,
  claimBlobs,
} from '../blobs/service.ts'
import type { RestoreHooks } from './hooks.ts'
import { archiveKeys } from './archive/keys.ts'
import type { BackupBody, BackupView, ListQuery, RestoreBody, RestoreView } from './schema.ts'
import { beginArchive } from './service/create.ts'
import type { Content } from './service/create.ts'
import { restoreObjects } from './service/partial.ts'
import type { BackupPart } from './service/partial.ts'
import { keysFor, inspectArchive } from './service/inspect.ts'
import type { ArchiveContents } from './service/inspect.ts'
import { restoreWhole } from './service/restore.ts'
import type { ArchiveSource } from './service/restore.ts'
import * as store from './store.ts'
import type { BackupRow } from './store.ts'
import { countRows, isEmpty } from './store/refill.ts'
import { TABLES } from './store/tables.ts'

export type { BackupView, RestoreBody, RestoreView } from './schema.ts'

/** The keys of the blobs of backups begin with it. */
export const BACKUPS_PREFIX = 'backups/'
/** The largest archive that can be uploaded. */
const ARCHIVE_MAX_BYTES = 16 * 1024 ** 3
const TRIES = 5
const LOST_MS = 60 * 60_000
const SNAPSHOT_LEFT = 'backups: deleting a snapshot failed; a later check deletes it'
/** Backups and restores run one after the other: each reads or writes all data. */
const slotsOf = semaphoreFor<Ports['database']>(1, 0, LOST_MS)

type Kind = {
  readonly origin: 'asked' | 'scheduled'
  /** Absent if it cannot be cancelled. */
  readonly work?: Work
}

/** Makes a backup of the whole configuration as of the time of the request, and keeps it.
 * @throws {Refusal} unavailable while blobs cannot be put, conflict when objects are deleted all the time, overloaded
 * while another one is made or restored */
export function makeBackup(
  context: Context,
  { passphrase, histories, files }: BackupBody,
  { origin, work }: Kind,
): Promise<BackupView> {
  const { ports } = context
  const content = { hasHistories: histories, hasFiles: files }
  return slotsOf(ports.database).run(ports.clock, async () => {
    work?.begin()
    if (histories) requireFewJobs(ports, (await countRows(ports.database)).get('jobs') ?? 0)
    const keys = await archiveKeys(ports.secrets, passphrase)
    for (let tried = 0; tried < TRIES; tried++) {
      const made = await attempt(ports, keys, content, work?.signal)
      if (made) return keep(context, { ...made, ...content, origin })
    }
    throw new Refusal(
      'conflict',
      'Objects were deleted again and again while the backup was made. Try again later.',
    )
  })
}

/** @throws {Refusal} too_many_jobs where the host cannot ask so many of them in one request */
function requireFewJobs({ jobActors: { archivesMax } }: Ports, jobs: number): void {
  if (jobs <= archivesMax) return
  throw new Refusal(
    'too_many_jobs',
    `On this host a backup can hold the histories of at most ${archivesMax} jobs; this one has ${jobs}. Use a backup without histories.`,
  )
}

type FinishedBackup = Pick<BackupRow, 'createdAt' | 'madeAt' | 'sizeBytes' | 'digest' | 'blob'>

/** Makes a backup; null if objects were deleted in the meantime. */
async function attempt(
  ports: Ports,
  keys: Awaited<ReturnType<typeof archiveKeys>>,
  content: Content,
  signal?: AbortSignal,
): Promise<FinishedBackup | null> {
  const createdAt = ports.clock.now()
  const making = await beginArchive(ports, keys, content)
  try {
    // By the name an operator who has lost all other data finds the latest file.
    const stamp = new Date(making.madeAt).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const name = `${stamp}-${crypto.randomUUID()}.gz`
    const { key: blob, sizeBytes } = await putArchive(ports, {
      name,
      chunks: chunksUntil(making.bytes, signal),
    })
    if (!(await making.isWhole())) return null
    return { createdAt, madeAt: making.madeAt, sizeBytes, digest: making.digest(), blob }
  } finally {
    await cleanUp(ports.log, SNAPSHOT_LEFT, () => making.end())
  }
}

async function putArchive(
  ports: Ports,
  { name, chunks, sizeMaxBytes = Infinity }: { name: string; chunks: Chunks; sizeMaxBytes?: number },
): Promise<{ readonly key: string; readonly sizeBytes: number }> {
  const key = `${BACKUPS_PREFIX}${name}`
  const signal = AbortSignal.timeout(LONG_UPLOAD_MAX_MS)
  return { key, sizeBytes: await putBlobAt(ports, key, { chunks, sizeMaxBytes }, signal) }
}

async function keep(context: Context, made: FinishedBackup & Content & Kind): Promise<BackupView> {
  const { database } = context.ports
  const row = { ...made, release: VERSION }
  const { sizeBytes, digest, hasHistories, hasFiles, origin } = row
  const entry = audited(context, {
    action: 'create',
    objectType: 'backup',
    objectId: digest,
    after: { sizeBytes, histories: hasHistories, files: hasFiles, origin },
  })
  try {
    const claims = claimBlobs(context.ports, [made.blob], LONG_UPLOAD_MAX_MS)
    const results = await database.batch([store.insertBackup(database, row), ...claims, entry])
    const [[{ id }]] = results as unknown as [[{ id: number }]]
    return viewOf(context.ports, { ...row, id })
  } catch (error) {
    throw asExpiredUpload(error)
  }
}

/** Backups, the latest first. @throws {Refusal} invalid for a cursor of another list */
export async function listBackups(
  { ports }: Context,
  { limit, cursor }: ListQuery,
): Promise<{ items: BackupView[]; next: string | null }> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeNumber(cursor)
  const rows = await store.listBackups(ports.database, before, limit + 1)
  const { shown, next } = pageOf(rows, limit, ({ id }) => id)
  return { items: shown.map((row) => viewOf(ports, row)), next }
}

/** A backup and how to read it. @throws {Refusal} not_found, and on reading unavailable while blobs cannot be read */
export async function readBackup({ ports }: Context, id: number) {
  const row = await findBackup(ports, id)
  const open = (span?: ByteSpan): Promise<StoredBlob> => openBlob(ports, row.blob, span)
  return { backup: viewOf(ports, row), open }
}

/** @throws {Refusal} not_found */
export async function deleteBackup(context: Context, id: number): Promise<void> {
  const { ports } = context
  const row = await findBackup(ports, id)
  holdToTag(context, `"${row.digest}"`)
  await commit(ports.database, deletion(context, row))
}

function deletion(context: Context, row: BackupRow) {
  const { database, clock } = context.ports
  const { sizeBytes, hasHistories, hasFiles, origin } = row
  const before = { sizeBytes, histories: hasHistories, files: hasFiles, origin }
  const entry = audited(context, { action: 'delete', objectType: 'backup', objectId: row.digest, before })
  return [store.deleteBackup(database, row.id), markOrphaned(database, [row.blob], clock.now()), entry]
}

/** The caller of scheduled backups. */
const SERVICE = { kind: 'anonymous' } as const
const SUPERFLUOUS_AT_ONCE = 100

/** Makes a scheduled backup if the latest one is older than the interval, deletes scheduled backups beyond the number that is
 * kept, and removes the remains of failed backups. Hosts call this periodically: a failure is logged, and the next call
 * tries again. */
export async function backUpWhenDue(ports: Ports): Promise<void> {
  const { database, clock, log, settings } = ports
  const context: Context = { ports, caller: SERVICE, requestId: 'schedule' }
  try {
    await commit(database, [store.dropRunsBefore(database, clock.now() - LOST_MS)])
    if (!settings.backups) return
    const { everyMs, isOfEverything, keep: kept, passphrase } = settings.backups
    const latest = await store.latestScheduled(database)
    // A clock that was set back must not stop scheduled backups.
    if (latest && Math.abs(clock.now() - latest.createdAt) < everyMs) return
    const content = { histories: isOfEverything, files: isOfEverything }
    const { id, size } = await makeBackup(context, { passphrase, ...content }, { origin: 'scheduled' })
    log.info('backups: scheduled backup made', { id, size })
    const superfluous = await store.listSuperfluous(database, kept, SUPERFLUOUS_AT_ONCE)
    for (const row of superfluous) await commit(database, deletion(context, row))
  } catch (error) {
    if (error instanceof Refusal && error.code === 'overloaded') return
    log.error('backups: scheduled backup failed; retrying', error)
  }
}

/** Restores a kept backup: everything, or the chosen objects.
 * @throws {Refusal} not_found, not_empty for an installation with data unless `replace` is true, newer_backup, invalid for
 * another passphrase, bad_request for an altered backup, unavailable while blobs cannot be read, overloaded */
export async function restoreBackup(
  context: Context,
  id: number,
  asked: RestoreBody,
  hooks: RestoreHooks,
): Promise<RestoreView> {
  const { ports } = context
  const row = await findBackup(ports, id)
  return restore(context, row.blob, asked, hooks)
}

/** Restores an uploaded backup, which is not stored. @throws {Refusal} too_large, and the refusals of `restoreBackup` */
export async function restoreUpload(
  context: Context,
  chunks: Chunks,
  asked: RestoreBody,
  hooks: RestoreHooks,
): Promise<RestoreView> {
  const name = `sent-${crypto.randomUUID()}.gz`
  const { key } = await putArchive(context.ports, { name, chunks, sizeMaxBytes: ARCHIVE_MAX_BYTES })
  return restore(context, key, asked, hooks)
}

async function restore(
  context: Context,
  blob: string,
  asked: RestoreBody,
  hooks: RestoreHooks,
): Promise<RestoreView> {
  const { ports, request } = context
  const { database, secrets } = ports
  if (request) ports.network.takesLong(request)
  return slotsOf(database).run(ports.clock, async () => {
    const open = async () => (await openBlob(ports, blob)).body
    const contents = await inspectArchive(await open())
    const keys = await keysFor(secrets, contents, asked.passphrase, '/passphrase')
    const before = await countRows(database)
    const needsReplace = !asked.objects && !(await isEmpty(database, before, hooks.firstNames))
    const view = { ...restoreViewOf(ports, contents, before), needsReplace }
    const source: ArchiveSource = { open, contents, keys }
    if (asked.objects) {
      const { objects: ids, dryRun, withoutHistories } = asked
      const part = await restoreObjects(context, source, { ids, dryRun, withoutHistories }, hooks)
      forgetRights(ports)
      return partViewOf(view, part, !asked.dryRun)
    }
    if (asked.dryRun) return auditDryRun(context, view, contents)
    requireFewJobs(ports, contents.jobs + (before.get('jobs') ?? 0))
    if (!asked.replace && needsReplace)
      throw new Refusal(
        'not_empty',
        'The installation is not empty. Pass replace=true to delete its data and restore the backup.',
      )
    await restoreWhole(context, source, hooks)
    callersOf(ports).clear()
    forgetRights(ports)
    ports.log.info('backups: backup restored; notifications are paused until POST /notifications/resume', {
      madeAt: view.madeAt,
      digest: contents.ended.chain,
    })
    return { ...view, restored: true }
  })
}

/** Adds a dry run to the audit log, since it reads the backup. */
async function auditDryRun(
  context: Context,
  view: RestoreView,
  { header, ended }: ArchiveContents,
): Promise<RestoreView> {
  const after = { madeAt: header.createdAt, histories: header.hasHistories, files: header.hasFiles }
  const audit = { action: 'try to restore', objectType: 'backup', objectId: ended.chain, after }
  await commit(context.ports.database, [audited(context, audit)])
  return view
}

function partViewOf(
  view: RestoreView,
  { objects, dropped, rows }: BackupPart,
  restored: boolean,
): RestoreView {
  const tables = view.tables
    .filter(({ name }) => rows.has(name))
    .map(({ name, rowsBefore }) => ({ name, rowsBefore, rows: rows.get(name) ?? 0 }))
  return { ...view, restored, tables, objects: [...objects], dropped: [...dropped] }
}

async function findBackup({ database }: Ports, id: number): Promise<BackupRow> {
  const row = await store.findBackup(database, id)
  if (!row) throw noSuch('backup')
  return row
}

function viewOf({ settings }: Ports, row: BackupRow): BackupView {
  const format = timeFormat(settings.timeZone)
  return {
    id: row.id,
    createdAt: format(row.createdAt),
    madeAt: format(row.madeAt),
    origin: row.origin === 'scheduled' ? 'scheduled' : 'asked',
    release: row.release,
    histories: row.hasHistories,
    files: row.hasFiles,
    size: row.sizeBytes,
    digest: row.digest,
    url: `${settings.basePath}/backups/${row.id}`,
  }
}

function restoreViewOf(
  { settings }: Ports,
  { header, tables, jobs, files }: ArchiveContents,
  before: ReadonlyMap<string, number>,
): Omit<RestoreView, 'needsReplace'> {
  return {
    restored: false,
    madeAt: timeFormat(settings.timeZone)(header.createdAt),
    release: header.release,
    histories: header.hasHistories,
    files: header.hasFiles,
    // Files and audit entries that a backup lacks stay unchanged.
    tables: TABLES.filter(
      ({ name, kept }) => tables.has(name) || (kept === 'histories' && name !== 'audit'),
    ).map(({ name }) => ({
      name,
      rows: tables.get(name)?.rows ?? 0,
      rowsBefore: before.get(name) ?? 0,
    })),
    jobs,
    fileCount: files,
    objects: [],
    dropped: [],
  }
}
