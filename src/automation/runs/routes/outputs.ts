import { Hono } from 'hono'
import { SCRIPT_READERS } from '../../../access/rights/permissions.ts'
import { dispositionOf } from '../../../content/files/filename.ts'
import { policy } from '../../../http/policy.ts'
import type { Env } from '../../../http/policy.ts'
import { answerStored, FILE_ANSWERS, fileHeaders } from '../../../http/file-response.ts'
import { valid } from '../../../http/valid.ts'
import { outputPath } from '../schema.ts'
import { openFile } from '../service/files.ts'
import { readJob } from '../service.ts'
import { scriptOf } from './paths.ts'

export const outputRoutes = new Hono<Env>().get(
  '/scripts/:script/jobs/:jobId/outputs/:name',
  policy({
    summary: 'Download a file that a run produced',
    roles: SCRIPT_READERS,
    answers: FILE_ANSWERS,
    refuses: [416],
  }),
  valid('param', outputPath),
  async (c) => {
    const { jobId, name } = c.req.valid('param')
    const { id: runId } = await readJob(c.get('context'), await scriptOf(c), jobId)
    const { file, open } = await openFile(c.get('ports'), {
      runId,
      kind: 'output',
      name: name.normalize('NFC'),
    })
    const headers = fileHeaders(file.mimeType, dispositionOf(file.name, false))
    const stored = { etag: `"${file.sha256}"`, sizeBytes: file.sizeBytes, open }
    return answerStored(c.req.raw, stored, { headers, requestId: c.get('requestId') })
  },
)
