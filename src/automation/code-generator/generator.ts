import type { GenerateBody, GeneratedView, Language } from './schema.ts'
import { TEMPLATES } from './templates.ts'
import type { Template } from './templates.ts'

type File = GeneratedView['files'][number]

/** The begin of a program in each language: the URL of the service, the credentials, and `call`, which sends a request. */
const PREAMBLES: Readonly<Record<Language, string>> = {
  python: `import json
import os
import sys
import urllib.error
import urllib.request

BASE_URL = os.environ["SVC_BASE_URL"]
SESSION_ID = os.environ["SVC_SESSION_ID"]


def call(method, path, content=None):
    """Returns the answer to a request; ends the program on an error."""
    request = urllib.request.Request(BASE_URL + path, method=method)
    request.add_header("X-Session-Id", SESSION_ID)
    if content is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(content).encode()
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code} {error.read().decode()}")
    return json.loads(text) if text else None

`,
  javascript: `import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'

const { SVC_BASE_URL, SVC_SESSION_ID, http_proxy } = process.env

/** Returns the answer to a request; ends the program on an error. */
async function call(method, path, content) {
  const url = new URL(SVC_BASE_URL + path)
  const body = content === undefined ? undefined : JSON.stringify(content)
  const headers = { 'x-session-id': SVC_SESSION_ID }
  if (body !== undefined) {
    headers['content-type'] = 'application/json'
    headers['content-length'] = Buffer.byteLength(body)
  }
  const signal = AbortSignal.timeout(30_000)
  const createConnection = http_proxy ? through(await tunnel(new URL(http_proxy), url), url) : undefined
  const { request } = url.protocol === 'https:' ? https : http
  const answer = await new Promise((resolve, reject) => {
    request(url, { method, headers, signal, createConnection }, resolve).on('error', reject).end(body)
  })
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  if (answer.statusCode > 299) {
    console.error(answer.statusCode, text)
    process.exit(1)
  }
  return text === '' ? null : JSON.parse(text)
}

/** Connects to the service through the proxy of the run, which \`fetch\` does not support. */
function tunnel(proxy, { protocol, hostname, port }) {
  const path = \`\${hostname}:\${port || (protocol === 'https:' ? 443 : 80)}\`
  const auth = proxy.username && decodeURIComponent(\`\${proxy.username}:\${proxy.password}\`)
  const headers = auth ? { 'proxy-authorization': \`Basic \${btoa(auth)}\` } : {}
  return new Promise((resolve, reject) => {
    http
      .request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path, headers })
      .on('connect', ({ statusCode }, socket) => {
        if (statusCode === 200) resolve(socket)
        else reject(new Error(\`The proxy answers \${statusCode}.\`))
      })
      .on('error', reject)
      .end()
  })
}

function through(socket, { protocol, hostname }) {
  const servername = net.isIP(hostname) ? '' : hostname
  return () => (protocol === 'https:' ? tls.connect({ socket, host: hostname, servername }) : socket)
}
`,
  bash: `#!/usr/bin/env bash
set -euo pipefail
: "\${SVC_BASE_URL:?}" "\${SVC_SESSION_ID:?}"

# Prints the answer to a request; fails on an error.
# The session id is passed on standard input, so that process lists do not show it.
call() {
  local content=()
  if (($# > 2)); then content=(--header 'Content-Type: application/json' --data-raw "$3"); fi
  printf 'header = "X-Session-Id: %s"\\n' "$SVC_SESSION_ID" |
    curl --config - --silent --show-error --fail-with-body --globoff --max-time 30 \\
      --request "$1" "\${content[@]}" "$SVC_BASE_URL$2"
}
`,
}

/** A program in JavaScript runs in Node.js, which the shell starts. */
const JAVASCRIPT_STARTER = `#!/bin/sh
cd "$(dirname "$0")" && exec node main.mjs "$@"
`

const PYPROJECT = `[tool.poetry]
name = "script"
version = "0.1.0"
description = ""
authors = []
package-mode = false

[tool.poetry.dependencies]
python = "^3.9"
`

/** The files of a script for a request; equal requests get equal files. No file has a secret. */
export function generate(asked: GenerateBody): GeneratedView {
  const { main, note } = writtenFor(asked)
  return {
    files: filesOf(asked, PREAMBLES[asked.language] + main),
    notes: [note, 'It reads SVC_BASE_URL and SVC_SESSION_ID, which every run has.'],
  }
}

type GeneratedCode = { readonly main: string; readonly note: string }

function writtenFor(asked: GenerateBody): GeneratedCode {
  switch (asked.template) {
    case 'webhook-delivery':
      return written(TEMPLATES[asked.template], asked.language, asked.target)
    case 'value-history':
      return written(TEMPLATES[asked.template], asked.language, asked.target)
    case 'alarms':
      return written(TEMPLATES[asked.template], asked.language, asked.target)
    case 'http-call':
      return written(TEMPLATES[asked.template], asked.language, asked.target)
  }
}

function written<Target>(
  { main, note }: Template<Target>,
  language: Language,
  target: Target,
): GeneratedCode {
  return { main: main[language](target), note }
}

function filesOf({ language, options }: GenerateBody, content: string): File[] {
  switch (language) {
    case 'python':
      return [
        { path: 'main.py', content },
        ...(options.poetry ? [{ path: 'pyproject.toml', content: PYPROJECT }] : []),
      ]
    case 'bash':
      return [{ path: 'run.sh', content }]
    case 'javascript':
      return [
        { path: 'main.mjs', content },
        { path: 'run.sh', content: JAVASCRIPT_STARTER },
      ]
  }
}
