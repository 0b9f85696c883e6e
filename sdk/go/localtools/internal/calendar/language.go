package calendar

import (
	"strings"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/ar"
	"github.com/go-playground/locales/bg"
	"github.com/go-playground/locales/bn"
	"github.com/go-playground/locales/cs"
	"github.com/go-playground/locales/da"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/de_AT"
	"github.com/go-playground/locales/de_CH"
	"github.com/go-playground/locales/el"
	"github.com/go-playground/locales/en"
	"github.com/go-playground/locales/en_GB"
	"github.com/go-playground/locales/es"
	"github.com/go-playground/locales/fa"
	"github.com/go-playground/locales/fi"
	"github.com/go-playground/locales/fr"
	"github.com/go-playground/locales/he"
	"github.com/go-playground/locales/hi"
	"github.com/go-playground/locales/hr"
	"github.com/go-playground/locales/hu"
	"github.com/go-playground/locales/id"
	"github.com/go-playground/locales/it"
	"github.com/go-playground/locales/ja"
	"github.com/go-playground/locales/ko"
	"github.com/go-playground/locales/lt"
	"github.com/go-playground/locales/lv"
	"github.com/go-playground/locales/nb"
	"github.com/go-playground/locales/nl"
	"github.com/go-playground/locales/pl"
	"github.com/go-playground/locales/pt"
	"github.com/go-playground/locales/pt_PT"
	"github.com/go-playground/locales/ro"
	"github.com/go-playground/locales/ru"
	"github.com/go-playground/locales/sk"
	"github.com/go-playground/locales/sl"
	"github.com/go-playground/locales/sr"
	"github.com/go-playground/locales/sv"
	"github.com/go-playground/locales/th"
	"github.com/go-playground/locales/tr"
	"github.com/go-playground/locales/uk"
	"github.com/go-playground/locales/vi"
	"github.com/go-playground/locales/zh"
	"github.com/go-playground/locales/zh_Hant"
)

// languages are made when they are asked for: each takes some memory.
var languages = map[string]func() locales.Translator{
	"ar": ar.New, "bg": bg.New, "bn": bn.New, "cs": cs.New, "da": da.New, "de": de.New,
	"de-at": de_AT.New, "de-ch": de_CH.New, "el": el.New, "en": en.New, "en-gb": en_GB.New,
	"es": es.New, "fa": fa.New, "fi": fi.New, "fr": fr.New, "he": he.New, "hi": hi.New, "hr": hr.New,
	"hu": hu.New, "id": id.New, "it": it.New, "ja": ja.New, "ko": ko.New, "lt": lt.New, "lv": lv.New,
	"nb": nb.New, "nl": nl.New, "no": nb.New, "pl": pl.New, "pt": pt.New, "pt-pt": pt_PT.New,
	"ro": ro.New, "ru": ru.New, "sk": sk.New, "sl": sl.New, "sr": sr.New, "sv": sv.New, "th": th.New,
	"tr": tr.New, "uk": uk.New, "vi": vi.New, "zh": zh.New, "zh-hant": zh_Hant.New,
	"zh-hk": zh_Hant.New, "zh-mo": zh_Hant.New, "zh-tw": zh_Hant.New,
}

// languageOf returns the language of a tag: the nearest that there is, else English.
func languageOf(tag string) locales.Translator {
	for name := strings.ToLower(tag); name != ""; {
		if create, isKnown := languages[name]; isKnown {
			return create()
		}
		name = name[:max(0, strings.LastIndexByte(name, '-'))]
	}
	return en.New()
}
