import { createWriteStream } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { BackupView } from '../../../src/content/backups/service.ts'
import { CommandFailure, EXIT } from '../../server/failures.ts'
import { serviceAction } from './action.ts'
import type { Command, Invocation, Outcome } from './action.ts'
import { PASSPHRASE_ABOUT, exists, passphraseOf } from './backup-file.ts'
import { backupLines } from './backup-texts.ts'
import type { Client } from './client.ts'
import { interruptible } from './interruption.ts'
import { outcome } from './printing.ts'
import { ProgressBar } from './progress.ts'

/** `tidemark backup`: downloads a new backup into a file, complete or not at all. The service keeps a copy only with `--keep`. */
export const backupCommand: Command = {
  name: 'backup',
  about:
    `Makes a backup of a running service and downloads it into a new file; --force overwrites one. --configuration-only\n` +
    `  leaves out histories, files and the rows of tables. --keep leaves a copy in the service.${PASSPHRASE_ABOUT}`,
  actions: {
    '': serviceAction({
      words: '<file>',
      count: [1, 1],
      options: {
        'configuration-only': { value: null },
        force: { value: null },
        keep: { value: null },
      },
      run: backup,
    }),
  },
}

async function backup(invocation: Invocation): Promise<Outcome> {
  const [file, force] = [invocation.file(), invocation.isSet('force')]
  const client = invocation.client()
  const passphrase = passphraseOf(invocation.environment)
  if (!force && (await exists(file))) throw inTheWay(file)
  const all = !invocation.isSet('configuration-only')
  const body = { passphrase, histories: all, files: all }
  return interruptible((signal) => backupInto(invocation, client, { file, force, body, signal }))
}

type Making = {
  readonly file: string
  readonly force: boolean
  readonly body: object
  readonly signal: AbortSignal
}

async function backupInto(
  invocation: Invocation,
  client: Client,
  { file, force, body, signal }: Making,
): Promise<Outcome> {
  const made = await make(client, body, signal)
  const path = `/backups/${made.id}`
  const cleanUp = () => (invocation.isSet('keep') ? null : client.ask('DELETE', path))
  try {
    await download(client, path, { file, sizeBytes: made.size, force, signal })
  } catch (error) {
    // The failed download is the news; what fails after it adds to it.
    const left = await Promise.resolve(cleanUp()).then(
      () => '',
      (after: unknown) => `\nThe service still has it: ${(after as Error).message}`,
    )
    const message = `${(error as Error).message}${left}`
    throw error instanceof CommandFailure
      ? new CommandFailure(error.exitCode, message, { cause: error })
      : new RangeError(message, { cause: error })
  }
  await cleanUp()
  return outcome(invocation, { ...made, file }, () => backupLines(file, made))
}

/** Makes a backup without `wait`, because on Workers the platform ends the work of an operation 30 seconds after the 202. */
async function make(client: Client, body: object, signal: AbortSignal): Promise<BackupView> {
  const announce = () =>
    process.stderr.write(
      'The service ends the backup that it makes. Then it is deleted; a second signal leaves it there.\n',
    )
  signal.addEventListener('abort', announce)
  try {
    return await client.json<BackupView>('POST', '/backups', JSON.stringify(body))
  } finally {
    signal.removeEventListener('abort', announce)
  }
}

async function download(
  client: Client,
  path: string,
  { file, sizeBytes, force, signal }: Omit<Making, 'body'> & { readonly sizeBytes: number },
): Promise<void> {
  const partial = `${file}.${crypto.randomUUID()}.partial`
  const bar = new ProgressBar('Backup', sizeBytes)
  async function* counted(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bar.advance(chunk.length)
      yield chunk
    }
  }
  try {
    signal.throwIfAborted()
    const { body } = await client.ask('GET', path)
    if (!body) throw new RangeError(`GET ${path} answered without a body.`)
    const target = createWriteStream(partial, { mode: 0o600, flush: true })
    await pipeline(Readable.fromWeb(body), counted, target, { signal })
    const arrivedBytes = Bun.file(partial).size
    if (arrivedBytes !== sizeBytes)
      throw new RangeError(`GET ${path} ended after ${arrivedBytes} of ${sizeBytes} bytes.`)
    await (force ? rename(partial, file) : linkNew(partial, file))
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof RangeError
      ? error
      : downloadFailure(error as NodeJS.ErrnoException, { file, path })
  } finally {
    bar.end()
    await rm(partial, { force: true })
  }
}

/** The failure of the file, whose errors name a system call, or of the connection. */
function downloadFailure(
  cause: NodeJS.ErrnoException,
  { file, path }: { readonly file: string; readonly path: string },
): CommandFailure {
  return cause.syscall === undefined
    ? new CommandFailure(EXIT.unavailable, `The connection was closed within GET ${path}.`, { cause })
    : new CommandFailure(EXIT.directory, `${file} cannot be written: ${cause.message}.`, { cause })
}

/** Gives a file its name. Unlike a rename it fails where another process made a file of this name meanwhile. */
async function linkNew(partial: string, file: string): Promise<void> {
  await link(partial, file).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inTheWay(file) : error
  })
}

function inTheWay(file: string): RangeError {
  return new RangeError(`${file} exists. Name another file, or pass --force to overwrite it.`)
}
