import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { processesOf } from './processes.ts'
import type { Known } from './service.ts'
import { openStage } from './stage.ts'
import { until } from '../until.ts'
import type { Stage } from './stage.ts'

let stage: Stage
let service: Stage['service']
beforeAll(async () => {
  stage = await openStage()
  service = stage.service
})
afterAll(() => stage.close())

const saidBy = (job: Known, stream = 'stdout') =>
  job.lines.filter((line) => line.stream === stream).map(({ text }) => text)

const shell = (script: string, rest: object = {}) => service.order({ files: { 'run.sh': script }, ...rest })

describe('a script', () => {
  test('runs with its arguments, its environment, its uploads, and leaves outputs', async () => {
    const job = service.order({
      files: {
        'run.sh': [
          'echo "$1 $REGION $FROM_FILE"; cat "$SVC_UPLOAD_DIR/in.csv" lib/part.txt; echo wrong >&2',
          'echo "::tidemark progress=0.5 message=half of it"',
          'echo made > "$SVC_OUTPUT_DIR/result.txt"; echo named > named.csv; echo "::tidemark output=named.csv"',
          'echo "$SVC_JOB_ID"; test -d empty && echo "empty is there"; nice',
        ].join('\n'),
        'lib/part.txt': 'part\n',
        '.env': 'FROM_FILE=default\nREGION=us\nSVC_JOB_ID=mine',
      },
      directories: ['empty'],
      arguments: ['first argument'],
      env: { REGION: 'eu', SVC_SESSION_ID: 'session' },
      uploads: { 'in.csv': 'uploaded\n' },
    })
    expect(await job.ended).toEqual({ outcome: 'succeeded', exitCode: 0, error: null, logLines: 7 })
    const { id } = job.assignment
    const [niceness, ...said] = saidBy(job).toReversed()
    expect(said.toReversed()).toEqual(['first argument eu default', 'uploaded', 'part', id, 'empty is there'])
    // The script has a lower priority than its runner and the renewal of its lease.
    expect(Number(niceness)).toBeGreaterThanOrEqual(10)
    expect(saidBy(job, 'stderr')).toEqual(['wrong'])
    expect(job.lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(job.progress).toEqual([{ value: 0.5, message: 'half of it' }])
    expect(Object.fromEntries(job.outputs)).toEqual({ 'result.txt': 'made\n', 'named.csv': 'named\n' })
    expect(job.started).toEqual({ isolation: stage.runner.about.isolation })
    expect(await readdir(join(stage.dir, 'rooms'))).toEqual([])
  })

  test('that fails says so, and publishes only what it named', async () => {
    const job = shell('echo a > $SVC_OUTPUT_DIR/a; echo b > b; echo "::tidemark output=b"; exit 3')
    const error = 'The script ended with exit code 3.'
    expect(await job.ended).toEqual({ outcome: 'failed', exitCode: 3, error, logLines: 0 })
    expect([...job.outputs.keys()]).toEqual(['b'])
  })

  test('that may not reach a host is told so in its log, once for each host', async () => {
    const job = shell(
      'for host in 10.0.0.7:80 10.0.0.7:80 elsewhere.example:80; do curl -s -o /dev/null "http://$host/"; done; true',
      { network: ['10.0.0.7:80'] },
    )
    await job.ended
    expect(saidBy(job, 'system')).toEqual([
      '10.0.0.7:80 has a private address, and TIDEMARK_OUTBOUND_ALLOW of the runner does not list it.',
      'elsewhere.example:80 is not in `network` of the run configuration.',
    ])
  })

  test('says in a file how far it is', async () => {
    const job = shell('echo "0.25 a quarter" > "$SVC_PROGRESS_FILE"')
    await job.ended
    expect(job.progress).toEqual([{ value: 0.25, message: 'a quarter' }])
  })

  test('is fetched once, and fetched again where what is kept was spoilt', async () => {
    const script = `echo ${crypto.randomUUID()}`
    const [first, second] = [shell(script), shell(script)]
    await Promise.all([first.ended, second.ended])
    const before = service.fetched.length
    await shell(script).ended
    expect(service.fetched.length).toBe(before)
    const kept = first.assignment.files[0]?.sha256 ?? ''
    await writeFile(join(stage.dir, 'files', kept), 'spoilt')
    const third = shell(script)
    await third.ended
    expect(saidBy(third)).toEqual(saidBy(first))
    expect(service.fetched.length).toBe(before + 1)
  })

  test('whose files are not what they should be does not run', async () => {
    const job = shell('echo ran')
    ;(job.blobs as Map<string, Uint8Array>).set('files/run.sh', new TextEncoder().encode('echo other'))
    expect(await job.ended).toMatchObject({ outcome: 'failed', exitCode: null })
    expect(saidBy(job)).toEqual([])
  })
})

describe('what a job says', () => {
  test('has no secrets in it, plain or in base64, in lines, progress and errors', async () => {
    const secret = 'a secret / of + mine?'
    const job = shell(
      [
        'echo "plain $SECRET."; echo "$SECRET" | base64; echo "x$SECRET" | base64; echo "short $SHORT"',
        'echo "session $SVC_SESSION_ID"; echo "::tidemark progress=0.5 message=with $SECRET"',
      ].join('\n'),
      {
        env: { SECRET: secret, SHORT: 'abc', SVC_SESSION_ID: 'session-id' },
        secretNames: ['SECRET', 'SHORT'],
      },
    )
    await job.ended
    const [plain, encoded = '', shifted = '', ...others] = saidBy(job)
    expect([plain, ...others]).toEqual(['plain ***.', 'short abc', 'session ***'])
    for (const text of [encoded, shifted]) {
      expect(text).toContain('***')
      expect(Buffer.from(text.replaceAll('***', ''), 'base64').toString()).not.toMatch(/secret|mine/)
    }
    expect(job.progress).toEqual([{ value: 0.5, message: 'with ***' }])
  })

  test('is kept at its beginning and its end, and what is missing is said in the last line', async () => {
    const job = shell('seq 1 200000; echo the end')
    const { logLines } = await job.ended
    expect(logLines).toBe(200_002)
    const last = job.lines.at(-1)
    const missing = 'A log keeps its first 100 and its last 900 lines. 199002 of 200002 lines were dropped.'
    expect(last).toMatchObject({ line: 200_002, stream: 'system', text: missing })
    const numbers = job.lines.map(({ line }) => line)
    expect(numbers.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    expect(numbers.slice(-900)).toEqual(Array.from({ length: 900 }, (_, index) => 199_103 + index))
    expect(job.lines.find(({ line }) => line === 199_500)?.text).toBe('199500')
  })

  test('is cut at 10,000 characters a line, and taken as it is up to there', async () => {
    const job = shell(
      "head -c 10000 /dev/zero | tr '\\0' a; echo; head -c 10001 /dev/zero | tr '\\0' b; echo",
    )
    await job.ended
    expect(saidBy(job)).toEqual(['a'.repeat(10_000), `${'b'.repeat(9_999)}…`])
  })
})

describe('outputs', () => {
  test('are 20 at most, and the log names or counts the others', async () => {
    const job = shell('for i in $(seq 10 51); do echo $i > $SVC_OUTPUT_DIR/$i; done')
    await job.ended
    expect(job.outputs.size).toBe(20)
    const said = saidBy(job, 'system')
    expect(said).toHaveLength(21)
    expect(said[0]).toBe('30 was not uploaded: a run can produce at most 20 files.')
    expect(said[20]).toBe('Further output files were not uploaded (2): a run can produce at most 20 files.')
  })

  test('replace earlier ones with the same name, which the log mentions', async () => {
    const job = shell(
      'mkdir a; echo a > a/x; echo "::tidemark output=a/x"; echo b > $SVC_OUTPUT_DIR/x; mkdir $SVC_OUTPUT_DIR/y',
    )
    await job.ended
    expect([...job.outputs]).toEqual([['x', 'b\n']])
    expect(saidBy(job, 'system')).toEqual([
      'x replaced an earlier output file, which had the same name.',
      'y was not uploaded: no regular file has this name. Links are not followed.',
    ])
  })

  test('have 10 MiB at most, and a larger one is told of', async () => {
    const job = shell(
      'truncate -s 10485760 $SVC_OUTPUT_DIR/fits; truncate -s 10485761 $SVC_OUTPUT_DIR/larger',
    )
    await job.ended
    expect([...job.outputs].map(([name, text]) => [name, text.length])).toEqual([['fits', 10_485_760]])
    expect(saidBy(job, 'system')).toEqual(['larger was not uploaded: the file has more than 10485760 bytes.'])
  })

  test('are files of the job: nothing that a link, a pipe or a way upwards leads to', async () => {
    await writeFile(join(stage.dir, 'outside'), 'of the machine')
    const job = shell(
      [
        `ln -s ${stage.dir}/outside $SVC_OUTPUT_DIR/link; ln ${stage.dir}/outside $SVC_OUTPUT_DIR/hard`,
        `mkfifo $SVC_OUTPUT_DIR/pipe; mkdir $SVC_OUTPUT_DIR/folder; ln -s ${stage.dir} up`,
        'for f in up/outside ../../outside /etc/hostname missing; do echo "::tidemark output=$f"; done',
        `rm -r $SVC_OUTPUT_DIR/../state; ln -s ${stage.dir} $SVC_OUTPUT_DIR/../state`,
        `echo "0.5 of the machine" > ${stage.dir}/progress`,
      ].join('\n'),
    )
    expect(await job.ended).toMatchObject({ outcome: 'succeeded' })
    expect(job.outputs.size).toBe(0)
    expect(job.progress).toEqual([])
    expect(saidBy(job, 'system').length).toBeGreaterThanOrEqual(7)
  })
})

describe('a job is ended', () => {
  const IGNORING = "trap '' TERM; (trap '' TERM; sleep 600) & echo up; while :; do sleep 600; done"

  test('when somebody cancels it: it is told, and may tidy up', async () => {
    const job = shell('trap "echo tidied; exit 7" TERM; echo up; sleep 600 & wait')
    await until(() => saidBy(job).includes('up'))
    job.isCancelled = true
    expect(await job.ended).toMatchObject({ outcome: 'cancelled', exitCode: 7, error: null })
    expect(saidBy(job)).toEqual(['up', 'tidied'])
  })

  test('after its timeout, also when it will not listen, and nothing of it is left', async () => {
    const job = shell(IGNORING, { timeoutMs: 100 })
    expect(await job.ended).toMatchObject({
      outcome: 'timed_out',
      error: 'The script exceeded its time limit of 0.1 s.',
    })
    expect(await processesOf(job.assignment.id)).toEqual([])
  }, 180_000)

  test('at once when the service has given it up, and nothing more is said of it', async () => {
    const job = shell(IGNORING)
    await until(() => saidBy(job).includes('up'))
    expect((await processesOf(job.assignment.id)).length).toBeGreaterThan(0)
    job.isFenced = true
    await until(async () => (await processesOf(job.assignment.id)).length === 0)
    await until(async () => !(await readdir(join(stage.dir, 'rooms'))).includes(job.assignment.id))
    expect(job.finished).toBeNull()
  })

  test('while it is being prepared, and then does not run', async () => {
    const started = service.calls.length
    const job = shell('echo ran')
    job.isCancelled = true
    expect(await job.ended).toMatchObject({ outcome: 'cancelled', exitCode: null })
    expect(job.started).toBeNull()
    expect(service.calls.slice(started)).not.toContain('PUT start')
  })
})

describe('files of the machine', () => {
  let folder: string
  let opened: Stage
  beforeAll(async () => {
    folder = join(stage.dir, 'opened', 'in')
    await mkdir(join(folder, 'below'), { recursive: true })
    await writeFile(join(folder, 'a.csv'), 'a\n')
    await writeFile(join(folder, 'a.txt'), 'no\n')
    await writeFile(join(folder, 'below', 'b.csv'), 'b\n')
    await writeFile(join(stage.dir, 'secret.csv'), 'secret\n')
    await symlink(join(stage.dir, 'secret.csv'), join(folder, 'link.csv'))
    opened = await openStage({ TIDEMARK_RUNNER_FILES: folder })
  })
  afterAll(() => opened.close())

  test('are there where patterns and the operator say so', async () => {
    const files = { 'run.sh': 'cd "$SVC_FILES_DIR"; find . ! -type d | sort; cat in/a.csv in/below/b.csv' }
    const job = opened.service.order({ files, filesystem: ['in/*.csv', 'in/below/*'] })
    await job.ended
    expect(saidBy(job)).toEqual(['./in/a.csv', './in/below/b.csv', 'a', 'b'])
  })

  test('are not where the operator opened nothing', async () => {
    for (const pattern of ['etc/*', '/etc/passwd', 'in/../*', '../secret.csv']) {
      const files = { 'run.sh': 'find "$SVC_FILES_DIR" ! -type d' }
      const job = opened.service.order({ files, filesystem: [pattern] })
      await job.ended
      expect([pattern, saidBy(job)]).toEqual([pattern, []])
    }
  })
})
