import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { freePort, launch, run } from '../bench/peers/process.ts'
import { FAST_DIR } from './fast-dir.ts'
import { makeCertificate } from './postgres.ts'

/** Debian puts it where the search path of most users does not lead. */
const PROGRAM = Bun.which('mariadbd', { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` })

/** Whether a MariaDB server can be started and spoken to here. */
export const hasMariadb = PROGRAM !== null && Bun.which('mariadb') !== null

/** A MariaDB server of a test's own. */
export type Mariadb = {
  readonly port: number
  /** Its certificate, like that of PostgreSQL. */
  readonly certificate: string
  /** Runs statements as its owner, and gives what they say. */
  sql(statements: string): Promise<string>
  close(): Promise<void>
}

export async function startMariadb(): Promise<Mariadb> {
  const folder = await mkdtemp(join(FAST_DIR, 'tidemark-mariadb-'))
  const port = freePort()
  const certificate = await makeCertificate(folder)
  const isRoot = process.getuid?.() === 0
  // It refuses to be root.
  const user = isRoot ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : []
  // A server that starts deletes temporary tables in its folder, also tables of other servers that share it.
  await mkdir(join(folder, 'tmp'))
  if (isRoot) await run(['chown', '-R', 'nobody:', folder])
  const [data, socket] = [`--datadir=${folder}/data`, `--socket=${folder}/socket`]
  const own = ['--no-defaults', data, `--tmpdir=${folder}/tmp`, '--innodb-log-file-size=4M']
  const owned = ['--skip-test-db', '--auth-root-authentication-method=normal']
  await run([...user, 'mariadb-install-db', ...own, ...owned])
  const there = [socket, `--port=${port}`, '--bind-address=127.0.0.1', `--pid-file=${folder}/pid`]
  const encrypted = [`--ssl-cert=${folder}/own.pem`, `--ssl-key=${folder}/own.key`]
  const sql = (statements: string) => run(['mariadb', '--no-defaults', socket, '-uroot', '-Ne', statements])
  const { stop } = await launch({
    place: { directory: folder, jobs: 0, core: null },
    command: [...user, PROGRAM ?? '', ...own, ...there, ...encrypted],
    isReady: () => sql('select 1').then(() => true),
  })
  return {
    port,
    certificate,
    sql,
    async close() {
      await stop('SIGKILL')
      await rm(folder, { recursive: true })
    },
  }
}
