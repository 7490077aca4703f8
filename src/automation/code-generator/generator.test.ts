import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SELF_SIGNED } from '../../../test/hosts/self-signed.ts'
import { generate } from './generator.ts'
import { generateBody, LANGUAGES } from './schema.ts'

const PASSWORD = 'p@ss/word'

test.each([...LANGUAGES])(
  'a program in %s goes by the proxy of its run, with its password, to a service over TLS that is who it says',
  async (language) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-generated-'))
    const heard: string[] = []
    const service = Bun.serve({
      port: 0,
      tls: SELF_SIGNED,
      fetch: ({ headers, url }) =>
        Response.json({ session: headers.get('x-session-id'), path: new URL(url).pathname }),
    })
    const proxy = createServer((client) => {
      client.once('data', (head) => {
        heard.push(head.toString())
        const upstream = connect(Number(service.port), '127.0.0.1', () => {
          client.write('HTTP/1.1 200 OK\r\n\r\n')
          client.pipe(upstream).pipe(client)
        })
      })
      client.on('error', () => client.destroy())
    })
    try {
      const listening = Promise.withResolvers<void>()
      proxy.listen(0, '127.0.0.1', listening.resolve)
      await listening.promise
      const { port } = proxy.address() as AddressInfo
      const target = { path: '/anything' }
      const { files } = generate(generateBody.parse({ template: 'http-call', language, target }))
      for (const { path, content } of files) await Bun.write(join(folder, path), content)
      const authority = join(folder, 'authority.pem')
      await Bun.write(authority, SELF_SIGNED.cert)
      const way = `http://job:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`
      const run = async (trusted: Record<string, string>) => {
        const ran = Bun.spawn(language === 'python' ? ['python3', 'main.py'] : ['bash', 'run.sh'], {
          cwd: folder,
          env: {
            PATH: process.env['PATH'] ?? '',
            SVC_BASE_URL: `https://127.0.0.1:${service.port}`,
            SVC_SESSION_ID: 'a session',
            http_proxy: way,
            https_proxy: way,
            ...trusted,
          },
          stderr: 'pipe',
        })
        const texts = [new Response(ran.stdout).text(), new Response(ran.stderr).text()]
        const [stdout = '', stderr] = await Promise.all(texts)
        return { status: await ran.exited, stdout, stderr }
      }
      const trusting = { SSL_CERT_FILE: authority, CURL_CA_BUNDLE: authority, NODE_EXTRA_CA_CERTS: authority }
      const good = await run(trusting)
      expect(good).toMatchObject({ status: 0, stderr: '' })
      expect(JSON.parse(good.stdout)).toEqual({ session: 'a session', path: '/anything' })
      expect(heard[0]).toStartWith(`CONNECT 127.0.0.1:${service.port} HTTP/1.`)
      const credentials = /proxy-authorization: Basic (\S+)/i.exec(heard[0] ?? '')?.[1] ?? ''
      expect(atob(credentials)).toBe(`job:${PASSWORD}`)
      expect((await run({})).status).not.toBe(0)
    } finally {
      proxy.close()
      await service.stop(true)
      rmSync(folder, { recursive: true })
    }
  },
  180_000,
)
