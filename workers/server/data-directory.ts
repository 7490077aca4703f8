import { access, chmod, constants, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

import Database from 'libsql'

import type { Log } from '../../src/ports/log.ts'
import { EXIT, CommandFailure } from './failures.ts'

/** The files of the service in its directory. Other files there are left alone. */
const OURS = /^(?:config\.db|values\.db|key|lock|holder|ballast|blobs|tables)(?:$|-)/
const OF_OTHERS = 0o077
/** A process that was killed may still be ending when the next one starts. */
const PATIENCE_MS = 2_000

/** A directory that no other process can take. */
export type DataDirectory = {
  /** Lets other processes take it. */
  release(): Promise<void>
}

/** A file that is in a directory while a backup is restored into it. */
const RESTORING = 'restoring'

/** Begins a restore into a new directory, or into one that an interrupted restore left, which is emptied. Until `endRestore`
 * `refuseHalfRestored` refuses the directory.
 * @throws {RangeError} if the directory has other files
 * @throws {CommandFailure} if another process has locked it */
export async function beginRestore(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const names = await readdir(path)
  if (names.length > 0 && !names.includes(RESTORING)) throw notEmpty(path)
  if (names.length === 0) await writeFile(join(path, RESTORING), '', { mode: 0o600 })
  const lock = await lockIn(path)
  try {
    // Another process may have ended its restore meanwhile.
    if (!(await isRestoring(path))) throw notEmpty(path)
    const kept = new Set([RESTORING, 'lock', 'holder'])
    for (const name of await readdir(path))
      if (!kept.has(name)) await rm(join(path, name), { recursive: true })
  } finally {
    lock.close()
  }
}

/** Marks the restore as complete. This process must have locked the directory. */
export async function endRestore(path: string): Promise<void> {
  await rm(join(path, RESTORING))
}

/** @throws {CommandFailure} if a restore into the directory has not ended */
export async function refuseHalfRestored(path: string): Promise<void> {
  if (!(await isRestoring(path))) return
  throw new CommandFailure(
    EXIT.data,
    `${path} has a part of a backup, because tidemark restore --into has not ended. Run it again: it begins anew.`,
  )
}

function isRestoring(path: string): Promise<boolean> {
  return access(join(path, RESTORING)).then(
    () => true,
    () => false,
  )
}

function notEmpty(path: string): RangeError {
  return new RangeError(`${path} is not empty. Name a new or empty directory.`)
}

type Holder = { readonly pid: number; readonly host: string; readonly since: string }

/** Makes the directory where it is missing, locks it, and lets the user of this process alone read what is in it.
 * The kernel releases the lock when the process ends in any way.
 * @throws {CommandFailure} if another process has locked it
 * @throws {Error} with `code` and `path` if it cannot be used */
export async function takeDataDirectory(path: string, log: Log): Promise<DataDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  const lock = await lockIn(path)
  const holder = join(path, 'holder')
  const ours: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  // The lock does not need this file, which cannot be written on a full disk.
  await writeFile(holder, JSON.stringify(ours), { mode: 0o600 }).catch(() => undefined)
  await closeToOthers(path)
  const mode = (await stat(path)).mode & 0o777
  if ((mode & OF_OTHERS) !== 0)
    log.warn(
      'data directory: other users can enter it, although they cannot read its files; run chmod 700 on it',
      { path, mode: mode.toString(8) },
    )
  return {
    async release() {
      await rm(holder, { force: true })
      lock.close()
    },
  }
}

/** SQLite's lock of a file is the kernel's on every platform, and is not inherited by child processes. The file stays empty. */
async function lockIn(path: string): Promise<Database.Database> {
  const file = join(path, 'lock')
  // SQLite does not report why it cannot open a file.
  await access(file, constants.R_OK | constants.W_OK).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  })
  try {
    const lock = new Database(file, { timeout: PATIENCE_MS })
    lock.exec('pragma journal_mode = memory')
    lock.exec('begin immediate')
    return lock
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_BUSY') throw error
    throw new CommandFailure(
      EXIT.held,
      `Another Tidemark (${await holderIn(path)}) uses ${path}. Stop it, or set TIDEMARK_DATA_DIR to another directory.`,
      { cause: error },
    )
  }
}

async function holderIn(path: string): Promise<string> {
  try {
    const { pid, host, since } = JSON.parse(await readFile(join(path, 'holder'), 'utf8')) as Holder
    return `pid ${pid} on ${host}, since ${since}`
  } catch {
    return 'it did not write its pid'
  }
}

async function closeToOthers(path: string): Promise<void> {
  for (const name of (await readdir(path)).filter((one) => OURS.test(one)))
    await closeFileToOthers(path, name).catch((error: unknown) => {
      // SQLite of a process that was killed may still remove the files beside a database.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    })
}

async function closeFileToOthers(path: string, name: string): Promise<void> {
  const file = join(path, name)
  const { mode } = await stat(file)
  if ((mode & OF_OTHERS) !== 0) await chmod(file, mode & ~OF_OTHERS & 0o7777)
  // A key may be read-only.
  await access(file, name.startsWith('key') ? constants.R_OK : constants.R_OK | constants.W_OK)
}
