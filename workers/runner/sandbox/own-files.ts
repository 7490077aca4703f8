import { mkdir, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

import type { Bind } from './container.ts'

const HOSTS = '127.0.0.1 localhost job\n::1 localhost\n'

/** Whether the file `/etc/hosts` of a job may name this host: programs do not look up an address, and they expect `localhost`
 * on their own machine. */
export function isMappable(host: string): boolean {
  return isIP(host) === 0 && host !== 'localhost'
}

/** The file `/etc/hosts` of a job, in which a host has the loopback address. */
export async function hostsFileFor(folder: string, host: string): Promise<Bind> {
  const from = join(folder, 'hosts-of-tunnel')
  await writeFile(from, `${HOSTS}127.0.0.1 ${host}\n`, { mode: 0o644 })
  return { from, to: '/etc/hosts' }
}

/** Files of /etc for a job in place of the files of the machine, which name its users and its network. */
export async function ownFilesFor(folder: string, uid: number | null): Promise<Bind[]> {
  const user = uid ?? process.getuid?.() ?? 0
  const texts = {
    passwd: `job:x:${user}:${user}::/tmp:/bin/sh\n`,
    group: `job:x:${user}:\n`,
    hosts: HOSTS,
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  }
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const binds: Bind[] = []
  for (const [name, text] of Object.entries(texts)) {
    const from = join(folder, name)
    await writeFile(from, text, { mode: 0o644 })
    binds.push({ from, to: `/etc/${name}` })
  }
  return binds
}
