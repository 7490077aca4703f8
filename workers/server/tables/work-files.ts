import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Removes the unfinished file that a killed process has left. */
export async function removeWork(path: string): Promise<void> {
  const [folder, begin] = [dirname(path), `${basename(path)}.`]
  for (const name of await readdir(folder))
    if (name.startsWith(begin)) await rm(join(folder, name), { force: true })
}
