import freemarker.template.*;
import freemarker.core.TemplateClassResolver;
import java.io.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.*;

/**
 * The real engine. Reads one template a line, with escapes, and writes one line for each: `=` and its text, or `!` and the
 * message of its fault.
 */
final class Oracle {
  private static final long MOMENT = 1767268805678L;

  public static void main(String[] args) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Logger.silence();
    Configuration configuration = new Configuration(Configuration.VERSION_2_3_31);
    configuration.setLocale(Locale.US);
    configuration.setTimeZone(TimeZone.getTimeZone("UTC"));
    configuration.setNumberFormat("computer");
    configuration.setDateFormat("iso");
    configuration.setTimeFormat("iso");
    configuration.setDateTimeFormat("iso");
    configuration.setTagSyntax(Configuration.AUTO_DETECT_TAG_SYNTAX);
    configuration.setNewBuiltinClassResolver(TemplateClassResolver.ALLOWS_NOTHING_RESOLVER);
    configuration.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
    configuration.setLogTemplateExceptions(false);
    configuration.setAttemptExceptionReporter((exception, environment) -> {});
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(escape(answer(configuration, unescape(line))));
    }
    out.flush();
  }

  private static String answer(Configuration configuration, String template) {
    StringWriter written = new StringWriter();
    try {
      new Template("t", new StringReader(template), configuration).process(model(), written);
      return "=" + written;
    } catch (TemplateException | IOException | RuntimeException | StackOverflowError error) {
      return "!" + String.valueOf(error.getMessage()).split("\n")[0];
    }
  }

  /** The same as in model.ts. */
  private static Map<String, Object> model() {
    Map<String, Object> model = new LinkedHashMap<>();
    model.put("name", "O'Brien");
    model.put("text", "The quick, brown fox");
    model.put("blank", "");
    model.put("spaces", "  a  b ");
    model.put("n", new BigDecimal("42"));
    model.put("zero", new BigDecimal("0"));
    model.put("minus", new BigDecimal("-7.5"));
    model.put("big", new BigDecimal("1234567.891"));
    model.put("tiny", new BigDecimal("0.000000001"));
    model.put("long", new BigDecimal("12345678901234567890.5"));
    model.put("yes", true);
    model.put("no", false);
    model.put("nothing", null);
    model.put("list", Arrays.asList("b", "a", "c"));
    model.put("numbers", Arrays.asList(new BigDecimal("3"), new BigDecimal("1"), new BigDecimal("2.5")));
    model.put("empty", new ArrayList<Object>());
    model.put("gaps", Arrays.asList("x", null, "z"));
    Map<String, Object> user = new LinkedHashMap<>();
    user.put("name", "Ada");
    user.put("age", new BigDecimal("36"));
    user.put("tags", Arrays.asList("p", "q"));
    model.put("user", user);
    model.put("none", new LinkedHashMap<String, Object>());
    List<Object> rows = new ArrayList<>();
    for (String[] row : new String[][] {{"west", "3"}, {"east", "1"}, {"north", "2"}}) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("region", row[0]);
      entry.put("total", new BigDecimal(row[1]));
      rows.add(entry);
    }
    model.put("rows", rows);
    model.put("moment", new SimpleDate(new Date(MOMENT), TemplateDateModel.DATETIME));
    model.put("day", new SimpleDate(new Date(MOMENT - MOMENT % 86400000L), TemplateDateModel.DATE));
    model.put("time", new SimpleDate(new Date(MOMENT % 86400000L), TemplateDateModel.TIME));
    return model;
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
  }

  private static String unescape(String line) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c != '\\') text.append(c);
      else {
        char next = line.charAt(++i);
        text.append(next == 'n' ? '\n' : next == 'r' ? '\r' : next);
      }
    }
    return text.toString();
  }

  private static final class Logger {
    static void silence() throws Exception {
      freemarker.log.Logger.selectLoggerLibrary(freemarker.log.Logger.LIBRARY_NONE);
    }
  }
}
