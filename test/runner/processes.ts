import { readdir } from 'node:fs/promises'

/** The processes of a job that run, wherever they are: all have its id in their environment (proc(5)). */
export async function processesOf(jobId: string): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // The process may have ended since its name was read.
    const environment = await Bun.file(`/proc/${name}/environ`)
      .text()
      .catch(() => '')
    if (environment.includes(`SVC_JOB_ID=${jobId}`)) found.push(Number(name))
  }
  return found
}

/** The processes that a process has started and that still run (proc(5)).
 * @param word is in their command */
export async function childrenOf(parent: number, word = ''): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const [stat = '', command = ''] = await Promise.all(
      ['stat', 'cmdline'].map((file) =>
        Bun.file(`/proc/${name}/${file}`)
          .text()
          .catch(() => ''),
      ),
    )
    const parentOf = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
    if (parentOf === String(parent) && command.includes(word)) found.push(Number(name))
  }
  return found
}
