/**
 * Words of greetings, thanks and short answers, as `standardAnalyzer` returns them for a query. A message with only these words needs no
 * memory. Words that often are the topic of a question are left out.
 */
export const smallTalk: ReadonlySet<string> = new Set(
  `hi hello hei hey ok okai ye yeah yep sure thank thx pleas great good nice cool perfect awesom wonder sound fine right welcom bye
  morn night even afternoon todai tomorrow later see get alright realli help haha lol funni how ar you who what can do
  hallo hoi moin tschuss dank bi spater gut gute guten tag morgen abend nacht viel vielen klar bitt schon geht wiedersehen super
  bonjour salut merci bonsoir ca va bien beaucoup bonn nuit journe soire demain accord revoir
  hola gracia bueno buena dia tard noch adio hasta luego manana vale de nada
  oi ola obrigado obrigada bom boa noit tudo bem ta logo amanha como voce esta
  ciao grazi buongiorno buonasera buonanott arrivederci domani bene prego presto come stai
  tot zien alles go goed goedemorgen goedemiddag goedenavond bedankt wel doei prima gaat
  merhaba selam tesekkurl tesekkur ederim nasilsin gunaydin gecel gunler aksamlar tamam hosca kal gorusuruz sag ol
  привет здравств дел добр утр ден вечер спокойн ноч спасиб больш пожалуйст хорош пок свидан завтр ладн
  مرحب حال صباح مساء خير شكر جزيل سلام علي حسنا عفو اهل سهل تصبح
  你好 您好 早上 上好 早安 下午 午好 晚上 晚安 谢谢 谢你 非常 常感 感谢 多谢 好的 再见 不客 客气 没关 关系
  こん んに にち ちは おは はよ よう うご ござ ざい いま ます んば ばん んは おや やす すみ みな なさ さい あり りが がと とう
  わか かり りま まし した さよ うな なら また たね はい お元 元気 気で です すか
  안녕 녕하 하세 세요 감사 사합 합니 니다 고마 마워 워요 좋은 좋아 아요 알겠 겠습 습니
  नमस्त धन्यवाद शुभ प्रभात रात्र आप कैस हैं ठीक`.split(/\s+/),
);

/** Words that only request a memory and are not its topic, such as "remember", as `standardAnalyzer` returns them. */
export const requestWords: ReadonlySet<string> = new Set(
  `rememb remind recal tell sai mention talk ask discuss know suggest recommend pleas someth anyth usual actual exactli`.split(
    /\s+/,
  ),
);
