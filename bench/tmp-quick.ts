import { Served } from './support/served.ts';
const [ours, bare] = [await Served.start('ours'), await Served.start('bare')];
const [a, b] = [await ours.connect(16), await bare.connect(16)];
for (const s of [{path:'/run',count:1500},{path:'/run_sse',count:800},{path:'/run_sse',count:80,appName:'streaming'}]) {
  const m: number[][] = [[],[]];
  for (let i=-2;i<5;i++){ const x=await ours.runs(a,s), y=await bare.runs(b,s); if(i>=0){m[0]!.push(x.cpu);m[1]!.push(y.cpu);} }
  const med=(v:number[])=>v.toSorted((p,q)=>p-q)[v.length>>1]!;
  console.log(s.path, s.appName, 'ours', med(m[0]!).toFixed(0), 'bare', med(m[1]!).toFixed(0), 'ratio', (med(m[0]!)/med(m[1]!)).toFixed(2));
}
process.exit();
