import type { Handle } from '../../src/app.ts'

/** Bun joins the pieces of an answer whose body is shorter than this, whenever it is given. */
const JOINED_BELOW_BYTES = 15_360

/** Answers with a complete text. Other answers, such as files and events, are streams already. */
const TEXTS = /^(?:application\/(?:problem\+)?json|text\/(?:csv|html))\b/

/** Of a longer answer that does not come within the event of its request, Bun hands each piece of each header field to the
 * kernel on its own, thirty calls and more for one answer (oven-sh/bun#41341). A stream leaves in two. */
export function inFewSends(handle: Handle): Handle {
  return async (request) => {
    const response = await handle(request)
    if (!isText(response.headers)) return response
    const text = await response.text()
    return new Response(text === '' ? null : textBody(text), response)
  }
}

/** As `Ports.textBody`. */
export function textBody(text: string): string | ReadableStream {
  // A character has 3 bytes at most: most answers need no count.
  const isShort = 3 * text.length < JOINED_BELOW_BYTES || Buffer.byteLength(text) < JOINED_BELOW_BYTES
  return isShort ? text : streamOf(text)
}

function isText(headers: Headers): boolean {
  const isStream = headers.has('content-length') || headers.has('x-accel-buffering')
  return TEXTS.test(headers.get('content-type') ?? '') && !isStream
}

function streamOf(text: string): ReadableStream {
  return new ReadableStream({
    type: 'direct',
    async pull(controller) {
      await controller.write(text)
    },
  })
}
