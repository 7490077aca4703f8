import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { freePort, launch, run } from '../bench/peers/process.ts'
import { FAST_DIR } from './fast-dir.ts'

const PACKAGES = '/usr/lib/postgresql'
const [RELEASE] = existsSync(PACKAGES)
  ? readdirSync(PACKAGES)
      .filter((release) => existsSync(join(PACKAGES, release, 'bin/initdb')))
      .sort((a, b) => Number(b) - Number(a))
  : []

/** Whether a PostgreSQL server can be started here. */
export const hasPostgres = RELEASE !== undefined

const CERTIFICATE =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -addext subjectAltName=DNS:db.example.org,IP:127.0.0.1'

/** Makes `own.key` and `own.pem` in a folder. @returns the certificate */
export async function makeCertificate(folder: string): Promise<string> {
  const files = ['-keyout', `${folder}/own.key`, '-out', `${folder}/own.pem`]
  await run(['openssl', ...CERTIFICATE.split(' '), ...files])
  return readFile(join(folder, 'own.pem'), 'utf8')
}

/** A PostgreSQL server of a test's own. */
export type Postgres = {
  readonly port: number
  /** Its certificate, for 127.0.0.1 and `db.example.org`, which nobody signed but itself. */
  readonly certificate: string
  /** Runs statements as its owner, and gives what they say, fields with | between. */
  sql(statements: string): Promise<string>
  close(): Promise<void>
}

export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-postgres-'))
  const port = freePort()
  const certificate = await makeCertificate(folder)
  await chmod(folder, 0o700)
  const isRoot = process.getuid?.() === 0
  // It refuses to be root.
  const user = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  if (isRoot) await run(['chown', '-R', 'postgres:', folder])
  const program = (name: string, ...words: string[]) => [
    ...user,
    join(PACKAGES, RELEASE ?? '', 'bin', name),
    ...words,
  ]
  const data = join(folder, 'data')
  await run(
    program(
      'initdb',
      '-D',
      data,
      '-U',
      'owner',
      '-E',
      'UTF8',
      '--no-sync',
      '--wal-segsize=1',
      '--auth=scram-sha-256',
      '--auth-local=trust',
    ),
  )
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    ssl: 'on',
    ssl_cert_file: join(folder, 'own.pem'),
    ssl_key_file: join(folder, 'own.key'),
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const sql = (statements: string) =>
    run(program('psql', '-h', folder, '-p', `${port}`, '-U', 'owner', '-d', 'postgres', '-qAtc', statements))
  const { stop } = await launch({
    place: { directory: folder, jobs: 0, core: null },
    command: program('postgres', '-D', data, ...given),
    isReady: () => sql('select 1').then(() => true),
  })
  return {
    port,
    certificate,
    sql,
    async close() {
      await stop()
      await rm(folder, { recursive: true })
    },
  }
}
