// What the made-up chats are made of: the small words of twelve languages, and the sounds that their other words are formed from.

/** How one language's words are made. Lists are in one string each, apart by spaces. */
export type Language = {
  readonly name: string;
  /** The words used most, in that order. */
  readonly common: string;
  /** Words are put side by side without spaces. */
  readonly unspaced?: true;
  /** How many words there are to draw from. */
  readonly words: number;
  readonly formed: Syllables | Roots | Characters;
};

/** Stems of two or three syllables, each with several endings. `-` stands for none. */
type Syllables = {
  readonly by: "syllables";
  readonly onsets: string;
  readonly vowels: string;
  readonly codas: string;
  readonly endings: string;
};

/** Three consonants, set into patterns in which 1, 2 and 3 stand for them. */
type Roots = { readonly by: "roots"; readonly consonants: string; readonly patterns: string };

/** Two or three characters of a list, those in front more often. */
type Characters = { readonly by: "characters"; readonly characters: string; readonly longest: number };

export const LANGUAGES: readonly Language[] = [
  {
    name: "English",
    common:
      "the to and a of I you it in is that for on we this be with have are not was at but so can my if do what will there just from your they all up out me about as when or one would like get know time could then more by good how our no see day some need think also now back send two well make here which maybe today work after next week going really okay thanks meeting tomorrow money ticket train doctor flight hotel dinner garden report school phone number window kitchen invoice address birthday",
    words: 9_000,
    formed: {
      by: "syllables",
      onsets: "b br c ch cl cr d dr f fl fr g gr h j k l m n p pl pr qu r s sh sl sp st str t th tr v w",
      vowels: "a e i o u ea oo ai ou",
      codas: "- - n r t l m st nd ck ng rt sh p d ll",
      endings: "- s ed ing er ly ness ment able",
    },
  },
  {
    name: "German",
    common:
      "der die und ich in das ist nicht du zu es den mit ein auf wir was so wie eine von dem auch für dann noch haben sie bei war oder wenn nur kann schon mal aber hat sich aus gut morgen heute uhr mir mich doch nach um am im wieder machen bitte danke geht bis weil jetzt immer alles kein keine Wohnung Termin Rechnung Arzt Zug Küche Garten Schule Geburtstag Fenster Straße Schlüssel Brücke Übung Öl müssen könnte schön größer",
    words: 9_000,
    formed: {
      by: "syllables",
      onsets: "b br d f fl g gr h k kl kn kr l m n p pf r s sch schl schw sp st t tr v w z zw",
      vowels: "a e i o u ä ö ü ei au ie eu",
      codas: "- n r t l m st nd ck ng cht ß rt ft",
      endings: "- e en er ung heit lich keit es te",
    },
  },
  {
    name: "French",
    common:
      "de la le et je les des est pas que un à en une pour on dans ce il qui ne sur tu avec plus du au mais nous vous se si tout bien sont ça elle mon ma même fait être avoir où très là peux demain merci oui non quand aussi déjà faut après chez avant encore rien sans ton comme soir matin semaine maison école médecin réunion billet hôtel fenêtre clé anniversaire façon été reçu garçon",
    words: 8_000,
    formed: {
      by: "syllables",
      onsets: "b bl br c ch d f fr g gr j l m n p pl pr qu r s t tr v vr",
      vowels: "a e i o u é è ou oi ai eau",
      codas: "- - n r t l s c x ss",
      endings: "- s es er ons ment tion eur ette é",
    },
  },
  {
    name: "Spanish",
    common:
      "de que no a la el y en lo un por me una te los se con para mi está si bien pero yo las su qué tu al como más del todo ya muy hay eso este vamos cuando hoy mañana gracias sí solo nos también ahora porque hacer tengo puede día casa años algo nada creo después semana reunión médico billete escuela cumpleaños cocina jardín dirección teléfono niño señor corazón",
    words: 8_000,
    formed: {
      by: "syllables",
      onsets: "b br c ch d f fr g gr h j l ll m n ñ p pl pr qu r s t tr v z",
      vowels: "a e i o u á é í ó ie ue",
      codas: "- - - n r s l d",
      endings: "- s ar er ando ado ción mente ito es",
    },
  },
  {
    name: "Turkish",
    common:
      "bir ve bu ne için de çok ben mi sen var ama gibi daha o da kadar yok iyi şey her bana sonra evet hayır biz bugün yarın şimdi nasıl tamam olarak en kim zaman değil belki güzel lütfen teşekkürler saat gün ev iş okul doktor toplantı bilet otel mutfak bahçe doğum günü pencere anahtar köprü ışık İstanbul",
    words: 10_000,
    formed: {
      by: "syllables",
      onsets: "b c ç d f g h k l m n p r s ş t v y z",
      vowels: "a e ı i o ö u ü",
      codas: "- n r t l m k ş z",
      endings: "- ler lar im iniz de da den lik siz mek iyor acak",
    },
  },
  {
    name: "Russian",
    common:
      "и в не я что на с он как это по но мы ты все а у за от так же бы то было для уже вы да если есть нет когда или где надо меня только ещё очень можно завтра сегодня потом спасибо хорошо тоже там нас почему сейчас будет может просто дома время день работа врач билет поезд гостиница кухня сад школа телефон окно счёт адрес ключ",
    words: 10_000,
    formed: {
      by: "syllables",
      onsets: "б бр в вл г гр д др ж з к кр л м н п пр р с ст т тр ф х ц ч ш",
      vowels: "а е и о у ы я ю ё",
      codas: "- - н р т л м к с ст",
      endings: "- а ы ов ам ами ный ная ость ить ал ение",
    },
  },
  {
    name: "Arabic",
    common:
      "في من على ما هذا أن إلى لا هو أنا كان مع يا هل لم كل نعم غدا اليوم شكرا بعد قبل عن هذه كيف متى أين عند ثم أو إذا قد لكن نحن أنت هي بيت وقت عمل طبيب موعد تذكرة قطار فندق مطبخ حديقة مدرسة هاتف نافذة فاتورة عنوان مفتاح السلام القهوة كِتَابٌ مَدْرَسَةٌ",
    words: 8_000,
    formed: {
      by: "roots",
      consonants: "ب ت ث ج ح خ د ر ز س ش ص ض ط ع غ ف ق ك ل م ن ه و ي",
      patterns: "123 1ا23 م12و3 12ي3 ال12ا3 ت12ي3 1و23 أ123 ا1ت2ا3 م1ا23ة ي123ون 12ا3ة ال1ا23ين",
    },
  },
  {
    name: "Hindi",
    common:
      "है के में की को से का और यह हम मैं आप कि पर भी नहीं तो हो था एक कर ने क्या वह जी अब तक बहुत कल आज फिर लिए साथ अच्छा ठीक कैसे कब कहाँ हाँ धन्यवाद समय घर काम दिन डॉक्टर टिकट ट्रेन होटल रसोई बगीचा स्कूल फ़ोन खिड़की बिल पता चाबी हिन्दी ज़रूरी पढ़ाई मुझे तुम्हें",
    words: 7_000,
    formed: {
      by: "syllables",
      onsets: "क ख ग घ च छ ज झ ट ड त थ द ध न प फ ब भ म य र ल व श स ह क्र प्र स्त",
      vowels: "- - ा ि ी ु ू े ै ो ौ",
      codas: "- - - न र ल म त ं",
      endings: "- ा ी े ों ना ता कर वाला",
    },
  },
  {
    name: "Chinese",
    unspaced: true,
    common:
      "的 我 了 是 你 不 在 好 有 这 就 也 他 都 吗 去 要 说 会 很 到 那 还 来 没 可以 我们 什么 明天 今天 一个 时候 现在 知道 怎么 谢谢 因为 所以 如果 已经 下午 晚上 会议 医生 火车 酒店 厨房 花园 学校 电话 发票 地址 生日 窗户 钥匙",
    words: 2_500,
    formed: {
      by: "characters",
      longest: 3,
      characters:
        "人大小上中下国年生学家地出行天工经车门水电话书名文字机手心情长高新老路海山风花火木金土石头开关走进见看听读写问答教做作吃喝睡买卖钱票店市场城村南北东西红白黑青色黄春夏秋冬早午晚周月日星分秒点半前后左右里外间房屋厅床桌椅灯窗墙桥船飞鸟鱼马牛羊",
    },
  },
  {
    name: "Japanese",
    unspaced: true,
    common:
      "の は を に が と です ます で も か た ない から この それ これ ね よ した する ある いる まで さん です。 ました 明日 今日 時間 会議 医者 電車 予約 台所 学校 電話 窓 請求書 住所 誕生日 鍵 ありがとう お願い ホテル チケット メール パスタ",
    words: 2_500,
    formed: {
      by: "characters",
      longest: 4,
      characters:
        "人日本大年出中子見行気生自手学校家時間前後東西南北海山川空雨雪風花火水木金土月星カキクケコサシスセソタチツテトナニネノハヒフヘホマミムメモラリルレロンあいうえお",
    },
  },
  {
    name: "Korean",
    common:
      "나는 그 이 것 저는 우리 그리고 오늘 내일 지금 정말 너무 많이 안 못 잘 다시 같이 그래서 그런데 하지만 네 아니요 감사합니다 좋아요 있어요 없어요 했어요 할게요 언제 어디 어떻게 왜 시간 회의 의사 기차 예약 부엌 정원 학교 전화 창문 영수증 주소 생일 열쇠 호텔",
    words: 3_000,
    formed: {
      by: "syllables",
      onsets:
        "가 나 다 라 마 사 아 자 하 고 도 모 보 소 구 무 수 주 기 미 시 지 산 전 문 강 남 정 물 길 바 노 오 조 부 니 비 이 선 연 영 운 인 재 진 청 한 현 화",
      vowels: "- 리 장 사 원 동 차 수 점 인 실 기 과 면 식 금 력 성 용 제",
      codas: "- - - 님 들",
      endings: "- 은 는 이 를 에 에서 으로 하고 까지 입니다",
    },
  },
  {
    name: "Thai",
    unspaced: true,
    common:
      "ที่ และ ไม่ เป็น ฉัน คุณ มี ได้ ไป มา ว่า จะ ให้ ใน นี้ แล้ว ก็ กับ ครับ ค่ะ วันนี้ พรุ่งนี้ ขอบคุณ อะไร เมื่อไร ที่ไหน ทำไม ดี มาก บ้าน เวลา งาน หมอ ตั๋ว รถไฟ โรงแรม ครัว สวน โรงเรียน โทรศัพท์ หน้าต่าง ใบเสร็จ ที่อยู่ วันเกิด กุญแจ",
    words: 4_000,
    formed: {
      by: "syllables",
      onsets: "ก ข ค ง จ ช ซ ด ต ถ ท น บ ป พ ฟ ม ร ล ว ส ห กร ปล ตร",
      vowels: "า ิ ี ึ ุ ู ะ อ ัน าย",
      codas: "- - น ง ม ก ด บ ย",
      endings: "- - - ๆ การ",
    },
  },
];
