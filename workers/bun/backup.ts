import { createWriteStream } from 'node:fs'
import { access, link, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'

import type { BackupView, RestoreView } from '../../src/content/backups/service.ts'
import { Client } from './backup/client.ts'
import { restoreInto } from './backup/restore-into.ts'
import { backupLines, lossLines, partLines, restoredLines } from './backup/texts.ts'
import { CommandFailure, EXIT } from './failures.ts'

/** What `--help` prints. */
export const USAGE = `
  tidemark backup <file> [--configuration-only] [--force] [--keep] [--url <address>] [--json]
  tidemark restore <file> [--replace] [--yes] [--dry-run] [--url <address>] [--json]
  tidemark restore <file> --objects 7,8 [--without-histories] [--dry-run] [--url <address>] [--json]
  tidemark restore <file> --into <empty data directory> [--json]

  The commands call a running service; only --into needs none. The address is --url, or TIDEMARK_URL, or follows from
  TIDEMARK_HOST, TIDEMARK_PORT and TIDEMARK_BASE_PATH.
  Credentials: TIDEMARK_USERNAME and TIDEMARK_PASSWORD, or TIDEMARK_TOKEN. Encryption: TIDEMARK_BACKUP_PASSPHRASE.
`
const PASSPHRASE_MIN = 12
const PASSPHRASE_MAX = 256

type Environment = Readonly<Record<string, string | undefined>>
type Values = Readonly<Record<string, string | boolean | undefined>>

/** Asks the operator at a terminal; null without a terminal. */
export type Confirm = ((question: string) => Promise<boolean>) | null

/** `tidemark backup`: downloads a new backup into a file, complete or not at all. The service keeps a copy only with `--keep`.
 * @returns the text to print @throws {RangeError} saying what failed */
export async function backup(args: readonly string[], environment: Environment): Promise<string> {
  const { file, values } = read(args, {
    'configuration-only': { type: 'boolean' },
    force: { type: 'boolean' },
    keep: { type: 'boolean' },
  })
  const client = new Client(values['url'], environment)
  const passphrase = passphraseOf(environment)
  if (values['force'] !== true && (await exists(file))) throw inTheWay(file)
  const all = values['configuration-only'] !== true
  const json = JSON.stringify({ passphrase, histories: all, files: all })
  const made = await client.json<BackupView>('POST', '/backups', json)
  const path = `/backups/${made.id}`
  const cleanUp = () => (values['keep'] === true ? null : client.ask('DELETE', path))
  try {
    await download(client, path, { file, sizeBytes: made.size, force: values['force'] === true })
  } catch (error) {
    // The failed download is the news; what fails after it adds to it.
    const left = await Promise.resolve(cleanUp()).then(
      () => '',
      (after: unknown) => `\nThe service still has it: ${(after as Error).message}`,
    )
    throw new RangeError(`${(error as Error).message}${left}`)
  }
  await cleanUp()
  return values['json'] === true ? jsonText({ ...made, file }) : backupLines(file, made)
}

async function download(
  client: Client,
  path: string,
  { file, sizeBytes, force }: { readonly file: string; readonly sizeBytes: number; readonly force: boolean },
): Promise<void> {
  const partial = `${file}.partial`
  try {
    const { body } = await client.ask('GET', path)
    if (!body) throw new RangeError(`GET ${path} answered without a body.`)
    await pipeline(Readable.fromWeb(body), createWriteStream(partial, { mode: 0o600, flush: true }))
    const arrivedBytes = Bun.file(partial).size
    if (arrivedBytes !== sizeBytes)
      throw new RangeError(`GET ${path} ended after ${arrivedBytes} of ${sizeBytes} bytes.`)
    if (force) return await rename(partial, file)
    // Unlike a rename it fails where another process made the file meanwhile.
    await link(partial, file).catch((error: unknown) => {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inTheWay(file) : error
    })
  } finally {
    await rm(partial, { force: true })
  }
}

function inTheWay(file: string): RangeError {
  return new RangeError(`${file} exists. Name another file, or pass --force to overwrite it.`)
}

/** `tidemark restore`: restores a file, after saying what is lost and asking.
 * @returns the text to print @throws {RangeError} saying what failed */
export async function restore(
  args: readonly string[],
  environment: Environment,
  confirm: Confirm,
): Promise<string> {
  const { file, values } = read(args, {
    replace: { type: 'boolean' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    objects: { type: 'string' },
    'without-histories': { type: 'boolean' },
    into: { type: 'string' },
  })
  const passphrase = passphraseOf(environment)
  if (!(await exists(file))) throw new RangeError(`The file ${file} does not exist.`)
  if (typeof values['into'] === 'string') {
    const asked = { passphrase, replace: false, dryRun: false, withoutHistories: false }
    const view = await restoreInto(called(values['into']), file, { asked, environment })
    return printed(file, view, values)
  }
  const client = new Client(values['url'], environment)
  const send = (dryRun: boolean) => sendRestore(client, file, { passphrase, values, dryRun })
  if (values['dry-run'] === true) return printed(file, await send(true), values)
  if (values['objects'] === undefined && values['yes'] !== true)
    await requireConsent(file, await send(true), { replace: values['replace'] === true, confirm })
  return printed(file, await send(false), values)
}

function sendRestore(
  client: Client,
  file: string,
  {
    passphrase,
    values,
    dryRun,
  }: { readonly passphrase: string; readonly values: Values; readonly dryRun: boolean },
): Promise<RestoreView> {
  const query = new URLSearchParams({
    replace: String(values['replace'] === true),
    dryRun: String(dryRun),
    ...(typeof values['objects'] === 'string'
      ? { objects: values['objects'], withoutHistories: String(values['without-histories'] === true) }
      : {}),
  })
  const headers = {
    'content-type': 'application/gzip',
    'x-backup-passphrase': encodeURIComponent(passphrase),
  }
  return client.json<RestoreView>('POST', `/backups/restore?${query.toString()}`, Bun.file(file), headers)
}

/** Asks before anything is lost. @throws {RangeError} without a consent */
async function requireConsent(
  file: string,
  view: RestoreView,
  { replace, confirm }: { readonly replace: boolean; readonly confirm: Confirm },
): Promise<void> {
  if (!view.needsReplace) return
  const loss = lossLines(file, view)
  if (!replace)
    throw new RangeError(
      `${loss}\nThe installation is not empty. Pass --replace to delete its data and restore the backup.`,
    )
  if (!confirm)
    throw new RangeError(
      `${loss}\nNothing was restored, because there is no terminal to confirm. Pass --yes.`,
    )
  if (!(await confirm(`${loss}\nDelete this data and restore the backup? [y/N] `)))
    throw new RangeError('Nothing was restored.')
}

function printed(file: string, view: RestoreView, values: Values): string {
  if (values['json'] === true) return jsonText(view)
  if (view.restored) return restoredLines(file, view)
  return view.objects.length > 0 ? partLines(file, view) : lossLines(file, view)
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function read(args: readonly string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']) {
  try {
    const all = { url: { type: 'string' }, json: { type: 'boolean' }, ...options } as const
    const { values, positionals } = parseArgs({ args: [...args], options: all, allowPositionals: true })
    const [name, ...others] = positionals
    if (name === undefined) throw new RangeError('error: missing argument <file>')
    if (others.length > 0) throw new RangeError(`error: unexpected argument ${others[0]}`)
    return { file: called(name), values: values as Values }
  } catch (error) {
    // Node adds advice on arguments that begin with a dash.
    const [reason] = (error as Error).message.split(' To specify')
    throw new CommandFailure(EXIT.usage, `${reason}\n${USAGE}`)
  }
}

/** A path as the caller means it: npm and run.sh change the folder before this process starts. */
function called(path: string): string {
  return resolve(process.env['TIDEMARK_CALLED_FROM'] ?? '.', path)
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

function passphraseOf(environment: Environment): string {
  const passphrase = environment['TIDEMARK_BACKUP_PASSPHRASE'] ?? ''
  if (passphrase === '') throw new RangeError(`TIDEMARK_BACKUP_PASSPHRASE is not set.\n${USAGE}`)
  if (passphrase.length >= PASSPHRASE_MIN && passphrase.length <= PASSPHRASE_MAX) return passphrase
  throw new RangeError(
    `TIDEMARK_BACKUP_PASSPHRASE has ${passphrase.length} characters; it must have ${PASSPHRASE_MIN} to ${PASSPHRASE_MAX}.`,
  )
}
