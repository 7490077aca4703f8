import { valuesOf } from './job.ts'
import type { Job, JobValue } from './job.ts'

/** The programs for which the page shows how to deliver a value. */
export const SENDERS = [
  'curl',
  'python',
  'powershell',
  'crontab',
  'systemd',
  'github',
  'prometheus',
  'opentelemetry',
] as const
export type Sender = (typeof SENDERS)[number]

/** The JSON body of a delivery with the job's own values. */
export function exampleBody(job: Job): Readonly<Record<string, number | string>> {
  const values = valuesOf(job).map(({ key, value, isText }) => [key, value ?? (isText ? 'text' : 1)] as const)
  return { ...Object.fromEntries(values), errorCode: 0 }
}

/** Text for a shell in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A name as in a metric of Prometheus. */
const metricOf = ({ name, key }: JobValue): string =>
  /^[a-zA-Z_:][\w:]*$/.test(name) ? name : key.toLowerCase()

/** The text with which a sender delivers a value of the job. It runs as copied after the two variables of its first lines are set.
 * @param base the address of the service, without a slash at its end */
export function snippetOf(sender: Sender, job: Job, base: string): string {
  return SNIPPETS[sender]({
    job,
    base,
    url: `${base}/webcollector/jobs/${job.id}/values`,
    json: JSON.stringify(exampleBody(job)),
  })
}

type Parts = { readonly job: Job; readonly base: string; readonly url: string; readonly json: string }

const CREDENTIALS = `export TIDEMARK_USERNAME='sender' TIDEMARK_PASSWORD='password'`

/** The body as a dictionary of Python; JSON's strings and numbers are Python's too. */
const SNIPPETS: Readonly<Record<Sender, (parts: Parts) => string>> = {
  curl: ({ url, json }) => `${CREDENTIALS}
curl -sS --fail-with-body -u "$TIDEMARK_USERNAME:$TIDEMARK_PASSWORD" \\
  -H 'content-type: application/json' \\
  -d ${quoted(json)} \\
  ${url}
`,
  python: ({ url, json }) => `import base64, json, os, urllib.request

login = os.environ["TIDEMARK_USERNAME"] + ":" + os.environ["TIDEMARK_PASSWORD"]
request = urllib.request.Request(
    "${url}",
    data=json.dumps(${json}).encode(),
    headers={
        "authorization": "Basic " + base64.b64encode(login.encode()).decode(),
        "content-type": "application/json",
    },
)
print(urllib.request.urlopen(request, timeout=10).read().decode())
`,
  powershell: ({ url, json }) => `$login = "$($env:TIDEMARK_USERNAME):$($env:TIDEMARK_PASSWORD)"
$basic = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($login))
$body = [Text.Encoding]::UTF8.GetBytes(${powershellQuoted(json)})
Invoke-RestMethod -Method Post -Uri ${powershellQuoted(url)} \`
  -Headers @{ Authorization = "Basic $basic" } -ContentType 'application/json' -Body $body
`,
  crontab: ({
    url,
    json,
  }) => `# crontab -e; the password is in ~/.netrc: machine ${new URL(url).hostname} login sender password …
*/5 * * * * curl -sS --fail-with-body --retry 3 -m 20 --netrc -H 'content-type: application/json' -d ${quoted(json).replaceAll('%', '\\%')} ${url}
`,
  systemd: ({ job, url, json }) => `sudo tee /etc/systemd/system/tidemark-${job.id}.service >/dev/null <<'END'
[Unit]
Description=Delivers values of job ${job.id} to Tidemark
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
# TIDEMARK_USERNAME=… and TIDEMARK_PASSWORD=…, readable by root alone
EnvironmentFile=/etc/tidemark-sender
ExecStart=/bin/sh -c 'curl -sS --fail-with-body --retry 3 -m 20 -u "$TIDEMARK_USERNAME:$TIDEMARK_PASSWORD" -H "content-type: application/json" -d "$BODY" ${url}'
Environment=${systemdQuoted(`BODY=${json}`)}
END
sudo tee /etc/systemd/system/tidemark-${job.id}.timer >/dev/null <<'END'
[Timer]
OnCalendar=*:0/5
RandomizedDelaySec=10

[Install]
WantedBy=timers.target
END
sudo systemctl daemon-reload
sudo systemctl enable --now tidemark-${job.id}.timer
`,
  github: ({ url, json }) => `# .github/workflows/deliver.yml
on:
  schedule: [{ cron: '*/15 * * * *' }]
  workflow_dispatch:
jobs:
  deliver:
    runs-on: ubuntu-latest
    steps:
      - name: Deliver values to Tidemark
        env:
          LOGIN: \${{ secrets.TIDEMARK_USERNAME }}:\${{ secrets.TIDEMARK_PASSWORD }}
          BODY: ${yamlQuoted(json)}
        run: |
          curl -sS --fail-with-body --retry 3 -m 20 -u "$LOGIN" -H 'content-type: application/json' -d "$BODY" ${url}
`,
  prometheus: ({ job, base }) => `# prometheus.yml
remote_write:
  - url: ${base}/api/v1/write
    basic_auth: { username: sender, password_file: /etc/prometheus/tidemark }
    queue_config: { max_shards: 1 }
    write_relabel_configs:
${numbersOf(job)
  .flatMap((value) => [
    `      - { source_labels: [__name__, instance], regex: '${metricOf(value)};localhost:9100', target_label: tidemark_job, replacement: '${job.id}' }`,
    `      - { source_labels: [__name__], regex: '${metricOf(value)}', target_label: tidemark_value, replacement: '${value.key}' }`,
  ])
  .join('\n')}
      - { source_labels: [tidemark_job], regex: '.+', action: keep }
`,
  opentelemetry: ({ job, base }) => `${CREDENTIALS}
curl -sS --fail-with-body -u "$TIDEMARK_USERNAME:$TIDEMARK_PASSWORD" \\
  -H 'content-type: application/json' ${base}/otlp/v1/metrics -d ${quotedWithDate(otlpOf(job))}
`,
}

function numbersOf(job: Job): readonly JobValue[] {
  return valuesOf(job).filter(({ isText }) => !isText)
}

const NOW = '@now@'

/** One gauge for each number of the job, as OTLP in JSON. */
function otlpOf(job: Job): string {
  const attribute = (key: string, stringValue: string): object => ({ key, value: { stringValue } })
  const metrics = numbersOf(job).map((value) => ({
    name: metricOf(value),
    gauge: {
      dataPoints: [
        {
          asDouble: typeof value.value === 'number' ? value.value : 1,
          timeUnixNano: NOW,
          attributes: [attribute('tidemark.value', value.key)],
        },
      ],
    },
  }))
  const resource = { attributes: [attribute('tidemark.job', String(job.id))] }
  return JSON.stringify({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] })
}

/** A quoted text in which the shell replaces the placeholder of the time by the present. */
function quotedWithDate(json: string): string {
  return quoted(json).replaceAll(NOW, `'"$(date +%s)"'000000000`)
}

/** A setting of a unit of systemd in double quotes. */
function systemdQuoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`
}

/** A string of PowerShell in single quotes. Typographic quotes end it too, and each is doubled to stand for itself. */
const powershellQuoted = (text: string): string => `'${text.replaceAll(/['\u2018-\u201B]/g, '$&$&')}'`

/** A string of YAML in single quotes. */
const yamlQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
