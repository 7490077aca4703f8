import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Removes what a process has written for a new file until it was killed. */
export async function removeWork(path: string): Promise<void> {
  const [folder, begin] = [dirname(path), `${basename(path)}.`]
  for (const name of await readdir(folder))
    if (name.startsWith(begin)) await rm(join(folder, name), { force: true })
}
