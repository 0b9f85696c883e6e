package sandbox

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

const chunkBytes = 65_536

// EachText passes the text of an open file on in pieces of whole characters, up to maxBytes, until
// take returns false. It fails for a file that is no text: it has a zero byte, or is not UTF-8.
func (f *File) EachText(maxBytes int64, take func(text string) bool) error {
	buffer := make([]byte, 0, chunkBytes+utf8.UTFMax)
	chunk := make([]byte, min(chunkBytes, f.Info.Size()+1))
	for position := int64(0); position < maxBytes; {
		count, err := f.ReadAt(chunk, position)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		position += int64(count)
		buffer = append(buffer, chunk[:count]...)
		isEnd := count < len(chunk)
		whole := len(buffer)
		if !isEnd {
			// A character that the piece splits comes with the next one.
			whole -= unfinished(buffer)
		}
		if bytes.IndexByte(buffer[:whole], 0) >= 0 || !utf8.Valid(buffer[:whole]) {
			return refused("binary_file", "Cannot read it as text: it is a binary file")
		}
		if whole > 0 && !take(string(buffer[:whole])) || isEnd {
			return nil
		}
		buffer = append(buffer[:0], buffer[whole:]...)
	}
	return nil
}

// unfinished returns the number of bytes at the end that begin a character and do not complete it.
func unfinished(text []byte) int {
	for count := 1; count < utf8.UTFMax && count <= len(text); count++ {
		last := text[len(text)-count:]
		if utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return count
		}
	}
	return 0
}

// Text returns the whole text of an open file, up to maxBytes.
func (f *File) Text(maxBytes int64) (string, error) {
	var whole strings.Builder
	err := f.EachText(maxBytes, func(text string) bool {
		whole.WriteString(text)
		return true
	})
	return whole.String(), err
}
