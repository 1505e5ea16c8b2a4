#include "base/hash.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

constexpr std::string_view style = R"css(
:root{color-scheme:light dark;--ink:#1c2430;--soft:#667085;--line:#e4e7ec;--card:#fff;
--page:#f6f7f9;
--running:#2563eb;--waiting:#b45309;--paused:#6b7280;--completed:#15803d;--failed:#b91c1c;
--cancelled:#6b7280;--timed_out:#9a3412}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#98a2b3;--line:#2a3140;--card:#171c26;
--page:#0f131a;--running:#60a5fa;--waiting:#fbbf24;--completed:#4ade80;--failed:#f87171;
--timed_out:#fb923c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1040px;margin:0 auto;padding:32px 20px}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 14px;margin-bottom:20px}
h1{font-size:22px;margin:0}h2{font-size:15px;margin:28px 0 8px}
.soft{color:var(--soft)}a{color:inherit}
#note{border-left:3px solid var(--waiting);padding:8px 12px;background:var(--card);margin:0 0 16px}
#counts{display:grid;grid-template-columns:repeat(auto-fit,minmax(116px,1fr));gap:10px}
.count{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 14px}
.count b{display:block;font-size:24px;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:8px 14px;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;font-weight:500;color:var(--soft);font-size:13px}
td.id{font:13px ui-monospace,monospace}
.status::before{content:"";display:inline-block;width:8px;height:8px;border-radius:50%;
background:currentColor;margin-right:8px}
form{display:flex;gap:8px;margin:0 0 16px}
input,button{font:inherit;padding:6px 10px;border:1px solid var(--line);border-radius:8px;
background:var(--card);color:inherit}input{flex:1}
[hidden]{display:none}
)css";

constexpr std::string_view script = R"js(
const names=["running","waiting","paused","completed","failed","cancelled","timed_out"];
const at=id=>document.getElementById(id);
const make=(tag,text,set)=>Object.assign(document.createElement(tag),{textContent:text},set);
const colour=(element,status)=>{element.style.color=`var(--${status})`;return element};
const ago=time=>{const s=Math.max(0,(now()-Date.parse(time))/1000);
 return s<60?`${Math.floor(s)} s ago`:s<3600?`${Math.floor(s/60)} min ago`:
 s<86400?`${Math.floor(s/3600)} h ago`:time.slice(0,16).replace("T"," ")};
let skew=0;const now=()=>Date.now()+skew;
const get=async path=>{
 const key=sessionStorage.getItem("key");
 const answer=await fetch("/api/v1"+path,{headers:key?{"X-API-Key":key}:{}});
 const body=await answer.json();
 if(!answer.ok)throw Object.assign(new Error(body.detail||body.title),{status:answer.status});
 return body};
function showCounts(executions){
 at("counts").replaceChildren(...names.map(name=>{
  const card=make("div","",{className:"count"});
  card.append(colour(make("b",executions[name].toLocaleString()),executions[name]?name:"ink"),
   make("span",name.replace("_"," "),{className:"soft"}));
  return card}))}
function showRuns(items){
 at("none").hidden=items.length>0;
 at("runs").replaceChildren(...items.map(run=>{
  const row=make("tr","");
  const id=make("td","",{className:"id"});
  id.append(make("a",run.id,{href:"/api/v1/executions/"+encodeURIComponent(run.id)}));
  const status=make("td","");
  status.append(colour(make("span",run.status.replace("_"," "),{className:"status"}),run.status));
  row.append(status,make("td",run.workflow_id),id,make("td",ago(run.started_at),
   {className:"soft",title:run.started_at}));
  return row}))}
async function refresh(){
 try{
  const [overview,runs]=await Promise.all([get("/overview"),get("/executions?limit=20")]);
  skew=Date.parse(overview.now)-Date.now();
  at("about").textContent=`${overview.version} · account ${overview.account_id} · ${overview.role}`;
  at("note").hidden=overview.access==="keys";
  at("note").textContent=overview.access==="local"
   ?"Local mode: no keys exist, so everyone on this machine is root."
   :"Insecure mode: everyone who can reach this address is root.";
  at("form").hidden=true;at("live").textContent="live";
  showCounts(overview.executions);showRuns(runs.items);
 }catch(error){
  at("live").textContent=error.status?error.message:"not reachable, trying again";
  at("form").hidden=error.status!==401&&error.status!==403;
 }
 setTimeout(refresh,document.hidden?10000:2000)}
at("form").addEventListener("submit",event=>{event.preventDefault();
 sessionStorage.setItem("key",at("key").value.trim());at("key").value=""});
refresh();
)js";

constexpr std::string_view body_html = R"html(
<main>
<header><h1>Fermata</h1><span id="about" class="soft"></span>
<span id="live" class="soft" role="status">loading</span></header>
<p id="note" hidden></p>
<form id="form" hidden><label for="key" hidden>Key</label>
<input id="key" type="password" autocomplete="off" placeholder="API key, fk_…" aria-label="API key">
<button>Use this key</button></form>
<section id="counts" aria-label="Executions by status"></section>
<h2>Latest executions</h2>
<div class="scroll"><table><thead><tr><th>Status</th><th>Workflow</th><th>Execution</th>
<th>Started</th></tr></thead><tbody id="runs"></tbody></table></div>
<p id="none" class="soft" hidden>Nothing has run yet. Store a workflow with
<code>PUT /api/v1/workflows/{id}</code> and start it with
<code>POST /api/v1/workflows/{id}/executions</code>.</p>
<p class="soft">This program was built without the console. Install Node.js 20.19 or newer and run
<code>./dev build</code> again to add it.</p>
<p class="soft"><a href="/openapi.json">API description</a> ·
<a href="/metrics">metrics</a> · <a href="/api/v1/workflows">workflows</a></p>
</main>
)html";

std::string page_html() {
  std::string out =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<link rel=\"icon\" href=\"data:,\"><title>Fermata</title><style>";
  out.append(style).append("</style></head><body>").append(body_html);
  out.append("<script>").append(script).append("</script></body></html>");
  return out;
}

std::string policy_hash(std::string_view content) {
  auto digest = sha256(content);
  return "'sha256-" + base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + "'";
}

}  // namespace

/// The console; where the program was built without it, what a browser sees instead: numbers, the
/// latest executions, and links into the API. Nothing is loaded from elsewhere, and only this
/// script may run in it.
void status_page(Api& api, Call call) {
  if (auto console = api.console_for(call.request)) return call.send(*std::move(console));
  static const std::string html = page_html();
  static const std::string policy =
      "default-src 'none'; connect-src 'self'; img-src data:; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      "script-src " +
      policy_hash(script) + "; style-src " + policy_hash(style);
  http::Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = html;
  response.headers.emplace_back("Content-Security-Policy", policy);
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
