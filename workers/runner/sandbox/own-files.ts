import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Bind } from './contained.ts'

/** Files of /etc that a job finds in place of the machine's own, which tell of its people and its network. */
export async function ownFilesFor(folder: string, uid: number | null): Promise<Bind[]> {
  const user = uid ?? process.getuid?.() ?? 0
  const texts = {
    passwd: `job:x:${user}:${user}::/tmp:/bin/sh\n`,
    group: `job:x:${user}:\n`,
    hosts: '127.0.0.1 localhost job\n::1 localhost\n',
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
