import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Does something in an empty directory that is gone afterwards. */
async function inFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-package-'))
  try {
    return await act(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

async function run(cwd: string, ...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${said}`)
}

/** A wheel (PEP 427) of a package with one value in it. */
export function wheel(name: string, version: string, value: string): Promise<Uint8Array> {
  return inFolder(async (folder) => {
    const info = `${name}-${version}.dist-info`
    const files = {
      [`${name}.py`]: `VALUE = ${JSON.stringify(value)}\n`,
      [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
      [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      [`${info}/RECORD`]: `${name}.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
    }
    await write(folder, files)
    await run(folder, '/usr/bin/python3', '-m', 'zipfile', '-c', 'wheel.zip', `${name}.py`, info)
    return new Uint8Array(await readFile(join(folder, 'wheel.zip')))
  })
}

/** The lock file that `poetry lock` writes for a project. */
export function lockOf(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  return inFolder(async (folder) => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    await run(folder, '/usr/bin/poetry', 'lock', '--no-interaction')
    return readFile(join(folder, 'poetry.lock'), 'utf8')
  })
}

const JOB = `package local.job_0_1;
public class Job {
  public static void main(String[] args) {
    System.out.println(routines.Greeting.of(String.join(" ", args)) + " in " + System.getenv("REGION"));
    System.out.println("::tidemark progress=1 message=done");
    System.exit(Integer.getInteger("code", 0));
  }
}
`

const ROUTINE = `package routines;
public class Greeting {
  public static String of(String whom) { return "greetings to " + whom; }
}
`

/** As Talend's exports start theirs. */
const LAUNCHER = `#!/bin/sh
cd \`dirname $0\`
ROOT_PATH=\`pwd\`
java -Dtalend.component.manager.m2.repository=$ROOT_PATH/../lib -Xms64M -Xmx128M \\
  -cp .:$ROOT_PATH:$ROOT_PATH/../lib/routines.jar:$ROOT_PATH/job_0_1.jar: local.job_0_1.Job --context=Default "$@"
`

/** A job as Talend exports one: its launcher, its jar, and the libraries that it shares with others. */
export function talendJob(): Promise<Record<string, string | Uint8Array>> {
  return inFolder(async (folder) => {
    await write(folder, { 'local/job_0_1/Job.java': JOB, 'routines/Greeting.java': ROUTINE })
    await run(folder, 'javac', '-d', 'classes', 'local/job_0_1/Job.java', 'routines/Greeting.java')
    await run(folder, 'jar', 'cf', 'job.jar', '-C', 'classes', 'local')
    await run(folder, 'jar', 'cf', 'routines.jar', '-C', 'classes', 'routines')
    return {
      'jobInfo.properties': 'job=Job\njobVersion=0.1\n',
      'Job/Job_run.sh': LAUNCHER,
      'Job/job_0_1.jar': new Uint8Array(await readFile(join(folder, 'job.jar'))),
      'lib/routines.jar': new Uint8Array(await readFile(join(folder, 'routines.jar'))),
    }
  })
}
