import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { openStage, until } from './stage.ts'
import type { Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const textsOf = (lines: readonly { readonly text: string }[]) => lines.map(({ text }) => text)

describe('a shell script', () => {
  test('runs with its arguments, its environment, its uploads, and leaves outputs', async () => {
    const job = stage.service.order({
      files: {
        'run.sh': [
          'echo "$1 $REGION $FROM_FILE"; cat "$SVC_UPLOAD_DIR/in.csv" lib/part.txt; echo wrong >&2',
          'echo "::tidemark progress=0.5 message=half of it"',
          'echo made > "$SVC_OUTPUT_DIR/result.txt"; echo named > named.csv; echo "::tidemark output=named.csv"',
          'echo "$SVC_JOB_ID"; test -d empty && echo "empty is there"',
        ].join('\n'),
        'lib/part.txt': 'part\n',
        '.env': 'FROM_FILE=default\nREGION=us\n',
      },
      directories: ['empty'],
      arguments: ['first argument'],
      env: { REGION: 'eu', SVC_SESSION_ID: 'session' },
      uploads: { 'in.csv': 'uploaded\n' },
    })
    expect(await job.ended).toEqual({ outcome: 'succeeded', exitCode: 0, error: null, logLines: 6 })
    const said = textsOf(job.lines.filter(({ stream }) => stream === 'stdout'))
    const { id } = job.assignment
    expect(said).toEqual(['first argument eu default', 'uploaded', 'part', id, 'empty is there'])
    expect(textsOf(job.lines.filter(({ stream }) => stream === 'stderr'))).toEqual(['wrong'])
    expect(job.lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6])
    expect(job.progress).toEqual([{ value: 0.5, message: 'half of it' }])
    expect(Object.fromEntries(job.outputs)).toEqual({ 'result.txt': 'made\n', 'named.csv': 'named\n' })
    expect(job.started).toEqual({ isolation: 'none' })
  })

  test('that fails says so, and publishes only what it named', async () => {
    const script = 'echo a > $SVC_OUTPUT_DIR/a; echo b > b; echo "::tidemark output=b"; exit 3'
    const job = stage.service.order({ files: { 'run.sh': script } })
    const error = 'The script ended with exit code 3.'
    expect(await job.ended).toEqual({ outcome: 'failed', exitCode: 3, error, logLines: 0 })
    expect([...job.outputs.keys()]).toEqual(['b'])
  })
})
