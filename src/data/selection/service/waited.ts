import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { runWork } from '../../../operations/work/service.ts'
import type { Outcome } from '../../../operations/work/service.ts'

/** How statements of a request are cancelled, and where their process is noted. */
export type Asking = {
  readonly signal: AbortSignal
  readonly onBackend: (pid: number) => void
}

const WAIT_DEFAULT_MS = 30_000

/** Runs a read. It is cancelled when its caller leaves within the wait, and afterwards when the operation is cancelled.
 * @throws {Refusal} as `runWork` */
export async function waited<Result>(
  context: Context,
  {
    subject,
    kind = 'select',
    waitMs = WAIT_DEFAULT_MS,
  }: { readonly subject: string; readonly kind?: string; readonly waitMs?: number | undefined },
  read: (asking: Asking) => Promise<Result>,
): Promise<Outcome<Result>> {
  const gone = new AbortController()
  const leave = () => gone.abort(new Refusal('conflict', 'The caller left.'))
  const caller = context.request?.signal
  caller?.addEventListener('abort', leave)
  try {
    return await runWork(context, { kind, subject, waitMs }, (work) => {
      work.begin()
      return read({
        signal: AbortSignal.any([work.signal, gone.signal]),
        onBackend: (pid) => work.backend(pid),
      })
    })
  } finally {
    caller?.removeEventListener('abort', leave)
  }
}
