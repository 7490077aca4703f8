import { readdir } from 'node:fs/promises'

/** The processes of a job that run, wherever they are: all have its id in their environment (proc(5)). */
export async function processesOf(jobId: string): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // It may have ended since its name was read.
    const environment = await Bun.file(`/proc/${name}/environ`)
      .text()
      .catch(() => '')
    if (environment.includes(`SVC_JOB_ID=${jobId}`)) found.push(Number(name))
  }
  return found
}
