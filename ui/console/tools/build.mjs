// Builds the console and writes it as one bundle: `node tools/build.mjs OUT` makes OUT.bin, whose
// form src/server/console/files.h describes, and leaves the files themselves in the folder OUT.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? 'dist');

const mediaTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

// Gzipped, in bytes (U-72).
const budgets = { firstScripts: 120_000, allScripts: 400_000, styles: 30_000 };

/** Installs what the lockfile names, unless exactly that is installed already. */
function installPackages() {
  const mark = join(root, 'node_modules', '.installed');
  const wanted = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  // The npm that belongs to this node, wherever that is.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  });
  writeFileSync(mark, wanted);
}

async function buildFiles() {
  process.chdir(root);
  const entry = join(root, 'node_modules', 'vite', 'dist', 'node', 'index.js');
  const { build } = await import(pathToFileURL(entry).href);
  await build({ root, logLevel: 'error', build: { outDir: out, emptyOutDir: true } });
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    })
    .sort();
}

function formsOf(path) {
  const plain = readFileSync(path);
  const name = `/${relative(out, path)}`;
  const mediaType = mediaTypes[extname(path)];
  if (!mediaType) throw new Error(`tools/build.mjs does not know the media type of ${name}`);
  const etag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 24)}"`;
  const gzip = gzipSync(plain, { level: 9 });
  const brotli = brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  });
  return { name, mediaType, etag, forms: [plain, gzip, brotli] };
}

function measure(files) {
  const sum = (chosen) => chosen.reduce((bytes, file) => bytes + file.forms[1].length, 0);
  const scripts = files.filter((file) => file.name.endsWith('.js'));
  const page = files.find((file) => file.name === '/index.html').forms[0].toString();
  const sizes = {
    firstScripts: sum(scripts.filter((file) => page.includes(file.name))),
    allScripts: sum(scripts),
    styles: sum(files.filter((file) => file.name.endsWith('.css'))),
  };
  writeFileSync(`${out}.sizes.json`, `${JSON.stringify({ sizes, budgets }, null, 2)}\n`);
  for (const [name, limit] of Object.entries(budgets))
    if (sizes[name] > limit) throw new Error(`${name}: ${sizes[name]} bytes gzipped, ${limit} are allowed`);
}

function writeBundle(files) {
  const lines = ['FCONSOLE1', String(files.length)];
  for (const { name, mediaType, etag, forms } of files)
    lines.push([name, mediaType, etag, ...forms.map((form) => form.length)].join('\t'));
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(`${out}.bin`, Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), ...files.flatMap((file) => file.forms)]));
}

installPackages();
await buildFiles();
const files = filesIn(out).map(formsOf);
measure(files);
writeBundle(files);
