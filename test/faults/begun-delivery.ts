import { connect } from 'node:net'

import type { HostProcess } from '../hosts/process.ts'
import { until } from '../until.ts'
import { timed } from './probe.ts'
import type { Session } from './session.ts'

/** A delivery of which the host has a part. */
export type BegunDelivery = {
  /** Sends the rest once the host stops, after a call of `onStopping`.
   * @returns the status of the answer; null when the connection ended without one */
  finishWhenStopping(onStopping?: () => void): Promise<number | null>
}

/** Sends the head and the first byte of a delivery, and waits until the host has read them. */
export async function beginDelivery(
  session: Session,
  { url, logs }: HostProcess,
  jobId: number,
  value: number,
): Promise<BegunDelivery> {
  const { hostname, port, host } = new URL(url)
  const body = JSON.stringify({ returnValue1: value, errorCode: 0 })
  const head = [
    `POST /webcollector/jobs/${jobId}/values HTTP/1.1`,
    `Host: ${host}`,
    `X-Session-Id: ${session.id}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
    '',
    body.slice(0, 1),
  ].join('\r\n')
  let answer = ''
  const socket = connect(Number(port), hostname)
  socket.on('data', (bytes) => (answer += bytes.toString('latin1')))
  // A connection that breaks has no answer: the caller gets null.
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve) => socket.write(head, () => resolve()))
  // A host reads its connections in the order in which they have bytes.
  await until(async () => (await timed(`${url}/healthz`)).status === 200)
  return {
    async finishWhenStopping(onStopping = () => undefined) {
      await until(() => socket.closed || logs.some((line) => line.includes('"message":"stopping')))
      if (!socket.closed) onStopping()
      socket.write(body.slice(1))
      await closed
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
      return status === undefined ? null : Number(status)
    },
  }
}
