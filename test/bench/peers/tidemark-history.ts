import { join } from 'node:path'

import { JobEngine } from '../../../src/monitoring/engine/service.ts'
import { writeMeta } from '../../../src/monitoring/engine/store.ts'
import { openBlobsDirectory } from '../../../workers/server/blobs-directory.ts'
import { openLibsql } from '../../../workers/server/libsql.ts'
import type { Libsql } from '../../../workers/server/libsql.ts'
import { valuesInLibsql } from '../../../workers/server/values.ts'
import { jsonLog } from '../../../workers/json-log.ts'
import { DELIVERY, FIRST_JOB_ID, writeInstallation } from '../installation.ts'
import { bytesOnDisk } from './process.ts'
import type { Series } from './peer.ts'
import { inOrderOfArrival } from './samples.ts'

const AT_ONCE = 5_000
const FLUSH_SAMPLES = 500_000
/** Nobody of these jobs is to be found silent. */
const NEVER = 'P365D'
const ANYBODY = { userId: 0, anyJob: true }

/**
 * Writes an installation whose jobs have received these series, each value at its time: through the engine itself,
 * whose clock the bench moves, as senders may not be that late. Resolves with what the samples take on the disk in
 * bytes: pages of the database that are in use and were not before, and cold segments. As with the write-ahead logs
 * of others, pages that the journal has left are not counted: they are there for what comes next.
 */
export async function fillTidemark(
  dataDir: string,
  jobs: number,
  series: readonly Series[],
  until: 'flushed' | 'tidy' = 'tidy',
): Promise<number> {
  let now = series.reduce((least, { at }) => Math.min(least, at[0] ?? least), Infinity) - 1
  await writeInstallation(dataDir, { count: jobs, timeout: NEVER, at: now })
  const file = await openLibsql(`file:${join(dataDir, 'values.db')}`)
  const values = valuesInLibsql(file, { onBroken: () => undefined })
  const bytesBefore = await bytesInUse(file)
  const log = jsonLog((line) => process.stderr.write(`${line}\n`))
  const engine = await JobEngine.open({
    values,
    freeBytes: () => Number.POSITIVE_INFINITY,
    blobs: await openBlobsDirectory(join(dataDir, 'blobs'), log),
    clock: { now: () => now, monotonic: () => performance.now() },
    log,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
    follow: () => Promise.resolve(),
    armed: () => undefined,
  })
  for (const samples of inOrderOfArrival(series, AT_ONCE)) {
    const delivered = samples.map(({ job, at, value }) => {
      now = at ?? now
      const delivery = { ...DELIVERY, values: { returnValue1: value }, errorCode: null }
      return engine.deliver(FIRST_JOB_ID + job - 1, delivery, ANYBODY)
    })
    await Promise.all(delivered)
    if (engine.unflushed.samples >= FLUSH_SAMPLES) await engine.flush()
  }
  now = Date.now()
  await goOnLiving(engine, jobs)
  await engine.settled()
  await engine.flush()
  if (until === 'tidy') await engine.retention.apply()
  // The host that is started on it credits nobody with the time between then and now.
  await values.commit([writeMeta('heartbeat', Date.now())])
  const bytes = await bytesInUse(file)
  await file.close()
  return bytes - bytesBefore + (await bytesOnDisk(join(dataDir, 'blobs')))
}

/** What is past change goes by a job's own clock, which only what happens to the job moves: here a line of its log. */
async function goOnLiving(engine: JobEngine, jobs: number): Promise<void> {
  const line = { ...DELIVERY, signal: 'log', values: {}, errorCode: null } as const
  await Promise.all(
    Array.from({ length: jobs }, (_, index) => engine.deliver(FIRST_JOB_ID + index, line, ANYBODY)),
  )
}

async function bytesInUse({ client }: Libsql): Promise<number> {
  const { rows } = await client.execute(
    `select (page_count - freelist_count) * page_size as bytes
     from pragma_page_count, pragma_freelist_count, pragma_page_size`,
  )
  return Number(rows[0]?.['bytes'])
}
