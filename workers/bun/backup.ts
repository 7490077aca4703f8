import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'

const USAGE = `
  tidemark backup <file> [--url http://127.0.0.1:8080] [--histories] [--files] [--keep]
  tidemark restore <file> [--url http://127.0.0.1:8080] [--replace] [--dry-run] [--objects 7,8]

  Both speak to a service that runs, on either host. The environment says who asks, by TIDEMARK_TOKEN or by
  TIDEMARK_USERNAME and TIDEMARK_PASSWORD, and TIDEMARK_BACKUP_PASSPHRASE what seals the secrets.
`

type Environment = Readonly<Record<string, string | undefined>>
type Backup = { readonly url: string; readonly size: number }

/** `tidemark backup`: has the service make a backup and writes it into a file, whole or not at all. It stays in the service
 * only with `--keep`.
 * @returns what is to be printed @throws {RangeError} saying what is wrong, for whoever called */
export async function backup(args: readonly string[], environment: Environment): Promise<string> {
  const { file, values } = read(args, {
    histories: { type: 'boolean' },
    files: { type: 'boolean' },
    keep: { type: 'boolean' },
  })
  const service = new Service(values['url'], environment)
  const passphrase = passphraseOf(environment)
  const { histories = false, files = false } = values
  const made = (await service.json(
    'POST',
    '/backups',
    JSON.stringify({ passphrase, histories, files }),
  )) as Backup
  const partial = `${file}.partial`
  try {
    const { body } = await service.ask('GET', made.url)
    if (!body) throw new RangeError('The service sent no backup.')
    await pipeline(Readable.fromWeb(body), createWriteStream(partial, { mode: 0o600, flush: true }))
    const sizeBytes = Bun.file(partial).size
    if (sizeBytes !== made.size) throw new RangeError(`Only ${sizeBytes} of ${made.size} bytes arrived.`)
    await rename(partial, file)
  } finally {
    await rm(partial, { force: true })
    if (values['keep'] !== true) await service.ask('DELETE', made.url)
  }
  return `${file}: ${made.size} bytes\n`
}

/** `tidemark restore`: sends a file, and tells what was restored or, with `--dry-run`, would be.
 * @returns what is to be printed @throws {RangeError} saying what is wrong, for whoever called */
export async function restore(args: readonly string[], environment: Environment): Promise<string> {
  const { file, values } = read(args, {
    replace: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    objects: { type: 'string' },
  })
  const service = new Service(values['url'], environment)
  const query = new URLSearchParams({
    replace: String(values['replace'] === true),
    dryRun: String(values['dry-run'] === true),
    ...(typeof values['objects'] === 'string' ? { objects: values['objects'] } : {}),
  })
  const headers = {
    'content-type': 'application/gzip',
    'x-backup-passphrase': encodeURIComponent(passphraseOf(environment)),
  }
  if (!(await Bun.file(file).exists())) throw new RangeError(`There is no file ${file}.`)
  const answer = await service.json('POST', `/backups/restore?${query.toString()}`, Bun.file(file), headers)
  return `${JSON.stringify(answer, null, 2)}\n`
}

function read(args: readonly string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']) {
  try {
    const all = { url: { type: 'string', default: 'http://127.0.0.1:8080' }, ...options } as const
    const { values, positionals } = parseArgs({ args: [...args], options: all, allowPositionals: true })
    const [name, ...others] = positionals
    if (name === undefined || others.length > 0) throw new RangeError('Name one file.')
    // npm and run.sh change the folder before they come here.
    const file = resolve(process.env['TIDEMARK_CALLED_FROM'] ?? '.', name)
    return { file, values: values as Readonly<Record<string, unknown>> }
  } catch (error) {
    throw new RangeError(`${(error as Error).message}\n${USAGE}`)
  }
}

function passphraseOf(environment: Environment): string {
  const passphrase = environment['TIDEMARK_BACKUP_PASSPHRASE']
  if (passphrase === undefined) throw new RangeError(`TIDEMARK_BACKUP_PASSPHRASE is not set.\n${USAGE}`)
  return passphrase
}

/** A running service, and who asks it. */
class Service {
  readonly #url: string
  readonly #authorization: string

  constructor(url: unknown, environment: Environment) {
    this.#url = String(url).replace(/\/$/, '')
    const { TIDEMARK_TOKEN: token, TIDEMARK_USERNAME: username, TIDEMARK_PASSWORD: password } = environment
    if (token === undefined && (username === undefined || password === undefined))
      throw new RangeError(`Set TIDEMARK_TOKEN, or TIDEMARK_USERNAME and TIDEMARK_PASSWORD.\n${USAGE}`)
    this.#authorization = token === undefined ? `Basic ${btoa(`${username}:${password}`)}` : `Bearer ${token}`
  }

  /** A backup takes as long as it takes. */
  async ask(
    method: string,
    path: string,
    body?: string | Blob,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const init = { method, headers: { authorization: this.#authorization, ...headers }, timeout: false }
    const response = await fetch(this.#url + path, body === undefined ? init : { ...init, body }).catch(
      (error: unknown) => {
        throw new RangeError(`No service answers at ${this.#url}: ${(error as Error).message}`)
      },
    )
    if (response.ok) return response
    throw new RangeError(`${method} ${path} was answered with ${response.status}: ${await response.text()}`)
  }

  async json(
    method: string,
    path: string,
    body: string | Blob,
    headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
  ): Promise<unknown> {
    return (await this.ask(method, path, body, headers)).json()
  }
}
