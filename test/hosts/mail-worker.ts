import type { Letter } from '../../src/ports/mail.ts'
import type { MailSettings } from '../../src/ports/notification-settings.ts'
import { openMail } from '../../workers/mail.ts'

export type MailOrder = {
  readonly settings: MailSettings | null
  readonly letter: Letter
  readonly timeoutMs: number
}

// Sends a mail from within workerd, as the body says.
// oxlint-disable-next-line import/no-default-export -- a worker's entry point is one
export default {
  async fetch(request: Request): Promise<Response> {
    const { settings, letter, timeoutMs } = (await request.json()) as MailOrder
    return Response.json(await openMail(settings).send(letter, AbortSignal.timeout(timeoutMs)))
  },
}
